/** The stages of a slow loading: a list to reorder, and a form that adds to it. */

import { movable, reordered, stageName, stageWords } from "../stages";
import * as state from "../state";
import { effect, signal, untracked } from "../store";
import { button, numberField, segments, select, vectorField } from "../ui/controls";
import { h } from "../ui/h";
import type { Stage, Vec3 } from "../wire/types";

type Kind = "weight" | "load" | "tilt" | "support";

const KINDS: { value: Kind; label: string }[] = [
  { value: "load", label: "Load case" },
  { value: "tilt", label: "Tilt" },
  { value: "support", label: "Support moves" },
  { value: "weight", label: "Weight" },
];

/** Stands for the selected supports among names: no block is called so. */
const SELECTED = "";

const steps = (stage: Stage) => stage.steps ?? state.hello()?.slow_loading.steps ?? 1;

export function stageList(): HTMLElement {
  const list = h("ol", { class: "stages", testid: "stages" });
  /** What has the focus after the list is drawn anew. */
  let focus = "";
  const change = (next: readonly Stage[], then: string) => {
    focus = then;
    state.stages.set(next);
  };
  const row = (stage: Stage, index: number, all: readonly Stage[]) => {
    const name = stageName(stage, index);
    const act = (what: string, label: string, icon: "up" | "down" | "close", disabled: boolean, onclick: () => void) =>
      button({ label: `${label} ${name}`, icon, iconOnly: true, kind: "quiet", testid: `stage-${index}-${what}`, disabled: () => disabled, onclick });
    const input = h("input", { type: "number", class: "number", min: 1, max: 100_000, step: 1, value: steps(stage), "aria-label": `Steps of ${name}`, testid: `stage-${index}-steps` });
    input.addEventListener("change", () => {
      const count = Math.round(Number(input.value));
      const { steps: _, ...rest } = stage;
      const own = count >= 1 && count !== state.hello.peek()?.slow_loading.steps ? { ...rest, steps: Math.min(count, 100_000) } : rest;
      change(all.map((each, k) => (k === index ? own : each)), `stage-${index}-steps`);
    });
    const words = stageWords(stage, index);
    return h(
      "li",
      { class: "stage", testid: `stage-${index}` },
      h("strong", { title: `${name}: ${words}` }, `${index + 1}. ${name}`),
      h("span", { class: "stage-steps" }, input, " steps"),
      h(
        "span",
        { class: "stage-acts" },
        act("up", "Earlier:", "up", index === 0, () => change(reordered(all, index, index - 1), `stage-${index - 1}-up`)),
        act("down", "Later:", "down", index === all.length - 1, () => change(reordered(all, index, index + 1), `stage-${index + 1}-down`)),
        act("remove", "Remove", "close", all.length === 1, () => change(all.filter((_, k) => k !== index), `stage-${Math.max(index - 1, 0)}-steps`)),
      ),
      words.toLowerCase() === `full ${name}` ? null : h("span", { class: "stage-words" }, words),
    );
  };
  effect(() => {
    const all = state.stages();
    list.replaceChildren(...untracked(() => all.map(row)));
    if (focus) list.querySelector<HTMLElement>(`[data-testid="${focus}"]:not(:disabled)`)?.focus();
    focus = "";
  });
  return list;
}

/** One stage more, of one of four kinds. */
export function addStage(): HTMLDetailsElement {
  const kind = signal<Kind>("load");
  const [factor, weight, angle] = [signal(1), signal(1), signal(10)];
  const axis = signal<"x" | "y">("y");
  const by = [signal(0), signal(0), signal(-10)] as [ReturnType<typeof signal<number>>, ReturnType<typeof signal<number>>, ReturnType<typeof signal<number>>];
  const load = signal("");
  const support = signal(SELECTED);
  const loads = () => state.model()?.loads ?? [];
  const loadNow = () => (loads().includes(load()) ? load() : (loads()[0] ?? ""));
  const isFixed = () => {
    const held = state.heldFixed();
    const names = new Set(held ?? (state.model()?.blocks ?? []).filter((block) => block.fixed).map((block) => block.name));
    return (name: string) => names.has(name);
  };
  const selected = () => state.selectedNames().filter(isFixed());
  const supports = () => movable(state.model()?.blocks ?? [], isFixed());
  const supportNow = () => (support() === SELECTED ? (selected().length ? SELECTED : (supports()[0] ?? SELECTED)) : supports().includes(support()) ? support() : SELECTED);
  const moved = () => (supportNow() === SELECTED ? selected() : [supportNow()]);
  const stage = (): Stage | null => {
    switch (kind()) {
      case "weight":
        return { name: "weight", gravity: weight() };
      case "load":
        return loadNow() ? { name: loadNow(), loads: { [loadNow()]: factor() } } : null;
      case "tilt":
        return { name: "tilt", tilt: { axis: state.AXES[axis()], angle_deg: angle() } };
      case "support": {
        const shift = by.map((each) => each() / 1e3) as Vec3;
        return moved().length && shift.some((each) => each !== 0) ? { name: `${moved().join(", ")} moves`, move: [{ blocks: moved(), by: shift }] } : null;
      }
    }
  };
  const nothing = h("p", { class: "hint" }, "The model has no load case: Edit adds one.");
  const loadFields = h(
    "div",
    { class: "stage-fields" },
    select("Load case", () => loads().map((name) => ({ value: name, label: name })), loadNow, (value) => load.set(value), "stage-load"),
    numberField({ label: "Grows to", unit: "×", value: factor, compact: true, testid: "stage-factor" }),
  );
  const fields: Record<Kind, HTMLElement> = {
    weight: numberField({ label: "Weight changes to", unit: "×", value: weight, compact: true, testid: "stage-weight" }),
    load: h("div", {}, nothing, loadFields),
    tilt: h(
      "div",
      { class: "stage-fields" },
      numberField({ label: "Tilt to", unit: "°", value: angle, compact: true, testid: "stage-angle" }),
      h("span", { class: "stage-axis" }, "about", segments("Axis of the tilt", [{ value: "x", label: "x" }, { value: "y", label: "y" }], axis, "stage-axis")),
    ),
    support: h(
      "div",
      { class: "stage-fields" },
      select(
        "Support",
        () => [
          ...(selected().length || !supports().length ? [{ value: SELECTED, label: selected().length ? `Selected: ${selected().join(", ")}` : "none" }] : []),
          ...supports().map((name) => ({ value: name, label: name })),
        ],
        supportNow,
        (value) => support.set(value),
        "stage-support",
      ),
      vectorField("Moves by", "mm", by, "stage-by"),
    ),
  };
  effect(() => {
    for (const [name, field] of Object.entries(fields)) field.hidden = name !== kind();
    nothing.hidden = loads().length > 0;
    loadFields.hidden = loads().length === 0;
  });
  const form = h(
    "div",
    {},
    select<Kind>("Then", () => KINDS, () => kind(), (value) => kind.set(value), "stage-kind"),
    ...Object.values(fields),
    button({
      label: "Add stage", testid: "stage-add", disabled: () => state.model() === null || stage() === null,
      onclick: () => {
        const next = untracked(stage);
        if (next) state.stages.update((all) => [...all, next]);
      },
    }),
  );
  return h("details", { class: "add-stage", open: true, testid: "add-stage" }, h("summary", {}, "Add a stage"), form);
}
