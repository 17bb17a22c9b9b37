/** Ties between two blocks: added, changed and removed. */

import { edit } from "../actions/edit";
import * as state from "../state";
import { effect, signal, untracked } from "../store";
import { button, numberField, section, select, textField, vectorField } from "../ui/controls";
import { h } from "../ui/h";
import { type Kind, kindOf, tieWords } from "../ties";
import type { Tie, TieEnd, Vec3 } from "../wire/types";

const KINDS: { value: Kind; label: string }[] = [
  { value: "tie", label: "Tie rod: pulls, may yield and break" },
  { value: "spring", label: "Spring: pulls and pushes" },
  { value: "rigid_rod", label: "Rigid rod" },
];

const vector = () => [signal(0), signal(0), signal(0)] as [ReturnType<typeof signal<number>>, ReturnType<typeof signal<number>>, ReturnType<typeof signal<number>>];
const read = (values: ReturnType<typeof vector>) => values.map((value) => value.peek()) as Vec3;
const write = (values: ReturnType<typeof vector>, to: Vec3) => values.forEach((value, index) => value.set(to[index]!));

export function tieSection(): HTMLElement {
  const name = signal("tie");
  const kind = signal<Kind>("tie");
  const [stiffness, prestress, strength, rupture] = [signal(10), signal(0), signal(0), signal(0)];
  const [from, to] = [vector(), vector()];
  const pair = () => {
    const blocks = state.model()?.blocks ?? [];
    const chosen = [...state.selection()].flatMap((index) => blocks[index] ?? []);
    return chosen.length === 2 ? ([chosen[0]!, chosen[1]!] as const) : null;
  };
  // Anchored at the centres, until other points are given; these stay while the same two blocks are selected.
  let anchored = "";
  effect(() => {
    const chosen = pair();
    const names = JSON.stringify(chosen?.map((block) => block.name) ?? []);
    if (chosen && names !== anchored) untracked(() => (write(from, chosen[0].center), write(to, chosen[1].center)));
    anchored = names;
  });
  const load = (tie: Tie) => {
    const blocks = state.model.peek()?.blocks ?? [];
    const indexOf = ({ block }: TieEnd) => blocks.findIndex((each) => each.name === block);
    state.selection.set(new Set([indexOf(tie.from), indexOf(tie.to)].filter((index) => index >= 0)));
    name.set(tie.name);
    write(from, tie.from.at);
    write(to, tie.to.at);
    if (tie.kind === "rigid_rod") kind.set("rigid_rod");
    else if ("spring" in tie.kind) {
      kind.set("spring");
      stiffness.set(tie.kind.spring.stiffness_n_m / 1e6);
    } else if ("tie" in tie.kind) {
      const rod = tie.kind.tie;
      const length = Math.hypot(...tie.from.at.map((each, k) => tie.to.at[k]! - each));
      kind.set("tie");
      stiffness.set((rod.stiffness_n_m ?? ((rod.area_m2 ?? 0) * (rod.modulus_pa ?? 0)) / length) / 1e6);
      prestress.set((rod.prestress_n ?? 0) / 1e3);
      strength.set((rod.yield_n ?? 0) / 1e3);
      rupture.set((rod.rupture_elongation_m ?? 0) * 1e3);
    }
  };
  const list = h("div", { class: "chips", testid: "ties" });
  effect(() => {
    list.replaceChildren(
      ...(state.model()?.ties ?? []).map((tie) =>
        h(
          "span",
          { class: "chip" },
          button({ label: tie.name, kind: "quiet", title: `${tieWords(tie)}. Shows it in the fields below.`, onclick: () => load(tie) }),
          button({ label: `Remove tie ${tie.name}`, icon: "close", iconOnly: true, kind: "quiet", onclick: () => void edit({ do: "untie", name: tie.name }) }),
        ),
      ),
    );
  });
  const elastic = h("div", { class: "inline" }, numberField({ label: "Stiffness", unit: "kN/mm", value: stiffness, least: 0, compact: true, testid: "tie-stiffness" }));
  const rod = h(
    "div",
    { class: "inline" },
    numberField({ label: "Prestress", unit: "kN", value: prestress, least: 0, compact: true, testid: "tie-prestress" }),
    numberField({ label: "Yield", unit: "kN", value: strength, least: 0, compact: true, testid: "tie-yield" }),
    numberField({ label: "Breaks at", unit: "mm", value: rupture, least: 0, compact: true, testid: "tie-rupture" }),
  );
  effect(() => {
    elastic.hidden = kind() === "rigid_rod";
    rod.hidden = kind() !== "tie";
  });
  return section(
    "Ties",
    list,
    textField("Tie", () => name(), (text) => name.set(text || "tie"), "tie-name"),
    select("Kind", () => KINDS, () => kind(), (value) => kind.set(value), "tie-kind"),
    elastic,
    rod,
    vectorField("From", "m", from, "tie-from"),
    vectorField("To", "m", to, "tie-to"),
    h("p", { class: "hint" }, "Select two blocks; it is anchored at their centres unless other points are given. Nought: without."),
    h(
      "div",
      { class: "button-row" },
      button({
        label: "Add or change tie", title: "A tie of that name is changed", disabled: () => pair() === null, testid: "add-tie",
        onclick: () => {
          const chosen = untracked(pair);
          if (!chosen) return;
          const values = [stiffness, prestress, strength, rupture].map((value) => value.peek()) as [number, number, number, number];
          const ends = [
            { block: chosen[0].name, at: read(from) },
            { block: chosen[1].name, at: read(to) },
          ] as const;
          void edit({ do: "tie", name: name.peek(), from: ends[0], to: ends[1], kind: kindOf(kind.peek(), ...values) });
        },
      }),
    ),
  );
}
