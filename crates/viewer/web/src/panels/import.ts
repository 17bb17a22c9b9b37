/** What a file of another program leaves open, with what was found in it, before it is accepted. */

import { acceptImport, assume, importing, refuseImport } from "../actions/import";
import { length, mass, plural, significant, together } from "../format";
import { effect } from "../store";
import { button } from "../ui/controls";
import { h, uniqueId } from "../ui/h";
import { fieldUnit } from "../units";
import type { Given, Imported, ImportedPairs } from "../wire/types";

const UNITS: [number, string][] = [[1, "metres"], [1e-2, "centimetres"], [1e-3, "millimetres"], [0.3048, "feet"], [0.0254, "inches"]];
const UPS: [Given["up"], string][] = [["z", "z"], ["y", "y"], ["x", "x"]];

/** Gaps are joined by a little more than they are wide, in round numbers. */
function above(widest: number): number {
  const step = 10 ** Math.floor(Math.log10(widest) - 1);
  return Number((Math.ceil((widest / step) * 1.001) * step).toPrecision(3));
}

const widest = ({ named }: ImportedPairs) => named.reduce((most, { by_m }) => Math.max(most, by_m ?? 0), 0);

function chooser(label: string, testid: string, choices: () => [string, string][], value: () => string, give: (value: string) => void): HTMLElement {
  const id = uniqueId("import");
  const field = h("select", { id, testid });
  field.addEventListener("change", () => give(field.value));
  effect(() => {
    field.replaceChildren(...choices().map(([each, says]) => h("option", { value: each }, says)));
    field.value = value();
  });
  return h("div", { class: "select-row" }, h("label", { for: id }, label), field);
}

function distanceField(): HTMLElement {
  const id = uniqueId("import");
  const field = h("input", { type: "number", id, class: "number", min: 0, step: "any", testid: "import-distance" });
  const unit = h("span", { class: "unit" });
  /** Joints are told in millimetres, or in what small lengths are in elsewhere. */
  const small = () => (fieldUnit("length").name === "ft" ? { name: "in", si: 0.0254 } : { name: "mm", si: 1e-3 });
  field.addEventListener("change", () => {
    const value = Number(field.value);
    assume({ joint_distance_m: field.value.trim() === "" || !(value > 0) ? null : value * small().si });
  });
  effect(() => {
    const now = importing();
    if (!now) return;
    const { given, found } = now;
    const by = small();
    unit.textContent = by.name;
    field.value = given.joint_distance_m === null ? "" : String(Number((given.joint_distance_m / by.si).toPrecision(6)));
    field.placeholder = found.joint_distance_m ? `automatic: ${significant(found.joint_distance_m / by.si, 2)}` : "automatic";
  });
  return h("div", { class: "number-row" }, h("label", { for: id, title: "Faces no farther apart are joined" }, "Joint distance"), h("span", { class: "field" }, field, unit));
}

/** A kind of trouble: how often, how large, and where. */
function trouble(name: string, none: string, pairs: ImportedPairs, size: (metres: number) => string): HTMLElement[] {
  if (!pairs.count) return [h("dt", {}, name), h("dd", {}, none)];
  const most = widest(pairs);
  const rest = pairs.count - pairs.named.length;
  return [
    h("dt", {}, name),
    h("dd", {}, `${pairs.count}${most > 0 ? `, ${size(most)}` : ""}`),
    h("dd", { class: "import-named" }, h("ul", { tabindex: 0, "aria-label": name }, pairs.named.map(({ says }) => h("li", {}, says)), rest > 0 ? h("li", {}, `and ${rest} more`) : null)),
  ];
}

function foundRows(found: Imported): HTMLElement[] {
  const row = (name: string, value: string) => [h("dt", {}, name), h("dd", {}, value)];
  if (found.refused || !found.size_m) return row("Blocks", String(found.blocks));
  return [
    ...row("Blocks", String(found.blocks)),
    ...row("Size", together("length", found.size_m, " × ")),
    ...row("Mass of free blocks", mass(found.mass_kg)),
    ...row("Supports", String(found.fixed)),
    ...row("Joints", `${found.joints} (${plural(found.contacts!, "contact point")})${found.joints_stored ? ", as stored in the file" : ""}`),
    ...trouble("Gaps", "none", found.gaps!, (metres) => `up to ${length(metres)}`),
    ...trouble("Overlaps", "none", found.overlaps!, (metres) => `up to ${length(metres)}`),
    ...trouble("Without a support", "none", found.loose!, () => ""),
  ];
}

export function importDialog(): HTMLDialogElement {
  const given = () => importing()?.given;
  const title = h("h2", { id: "import-title" });
  const size = h("p", { class: "hint", testid: "import-size" });
  const supports = h("p", { class: "hint", testid: "import-supports-hint" });
  const lowest = button({ label: "Fix the lowest", testid: "import-lowest", pressed: () => given()?.supports === "lowest", onclick: () => assume({ supports: given()?.supports === "lowest" ? "none" : "lowest" }) });
  const rows = h("dl", { class: "facts", testid: "import-found" });
  const error = h("p", { class: "import-error", role: "alert", testid: "import-error" });
  const warnings = h("ul", { class: "warnings", "aria-label": "Remarks", testid: "import-warnings" });
  const join = button({ label: "Join the gaps", testid: "import-join", onclick: () => assume({ joint_distance_m: above(widest(importing.peek()!.found.gaps!)) }) });
  const accept = button({ label: "Import", kind: "primary", testid: "import-accept", disabled: () => importing()?.waiting !== false || importing()?.found.refused !== undefined, onclick: acceptImport });
  const supportChoices = (): [string, string][] => {
    const count = importing()?.found.fixed_as_read ?? 0;
    return [["as_read", count ? `As in the file: ${count}` : "As in the file: none"], ["lowest", "The lowest blocks"], ["none", "None yet"]];
  };
  const dialog = h(
    "dialog",
    { class: "dialog wide import", "aria-labelledby": "import-title", testid: "import-dialog" },
    title,
    h(
      "div",
      { class: "import-columns" },
      h(
        "section",
        { "aria-label": "What the file does not say" },
        h("h3", { class: "caption" }, "What the file does not say"),
        chooser("Unit", "import-unit", () => UNITS.map(([metres, says]) => [String(metres), says]), () => String(given()?.unit_m ?? 1), (value) => assume({ unit_m: Number(value) })),
        size,
        chooser("Up", "import-up", () => UPS, () => given()?.up ?? "z", (value) => assume({ up: value as Given["up"] })),
        chooser("Supports", "import-supports", supportChoices, () => given()?.supports ?? "as_read", (value) => assume({ supports: value as Given["supports"] })),
        h("div", { class: "button-row" }, lowest),
        supports,
        distanceField(),
        h("p", { class: "hint" }, "Faces that are no farther apart are joined; left empty, by the precision of the coordinates."),
      ),
      h("section", { "aria-label": "What was found", class: "import-seen" }, h("h3", { class: "caption" }, "What was found"), rows, join, error, warnings),
    ),
    h("div", { class: "button-row end" }, button({ label: "Cancel", kind: "quiet", testid: "import-cancel", onclick: refuseImport }), accept),
  );
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    refuseImport();
  });
  effect(() => {
    const now = importing();
    if (!now) return dialog.close();
    const { name, found, units, waiting } = now;
    title.textContent = `Import ${name}`;
    size.textContent = units > 0 ? `The longest side has ${significant(units)} of them: ${length(units * now.given.unit_m)}.` : "";
    supports.textContent = found.refused ? "" : found.fixed ? `${plural(found.fixed!, "block")} fixed.` : "Nothing carries the structure yet.";
    rows.replaceChildren(...foundRows(found));
    rows.setAttribute("aria-busy", String(waiting));
    join.hidden = !found.gaps?.count || widest(found.gaps) === 0;
    error.hidden = !found.refused;
    error.textContent = found.refused ?? "";
    warnings.hidden = found.warnings.length === 0;
    warnings.replaceChildren(...found.warnings.map((line) => h("li", {}, line)));
    if (!dialog.open) dialog.showModal();
  });
  return dialog;
}
