/** The choice of units in which numbers are shown and typed. */

import { preference } from "../persist";
import { effect } from "../store";
import { h } from "../ui/h";
import { UNIT_SYSTEMS, units } from "../units";

export function unitChoice(): HTMLElement {
  const kept = UNIT_SYSTEMS.find(({ value }) => value === preference.get("units"));
  if (kept) units.set(kept.value);
  const field = h("select", { class: "unit-choice", "aria-label": "Units", title: "Units of numbers and fields", testid: "units" }, UNIT_SYSTEMS.map(({ value, label }) => h("option", { value }, label)));
  field.addEventListener("change", () => {
    const chosen = UNIT_SYSTEMS.find(({ value }) => value === field.value)!.value;
    units.set(chosen);
    preference.set("units", chosen);
  });
  effect(() => void (field.value = units()));
  return field;
}
