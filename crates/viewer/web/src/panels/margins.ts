/** How far it is from falling: what to look for, and all that was found until the model changes. */

import { certificate } from "../actions/ask";
import { capacity, criticalTilt, leastFriction, multiplier } from "../actions/margins";
import { assumptions } from "../margins";
import * as state from "../state";
import { type Signal, collected, effect, signal } from "../store";
import { button, numberField, section, select } from "../ui/controls";
import { h } from "../ui/h";
import type { Vec3 } from "../wire/types";

type Way = "+x" | "-x" | "+y" | "-y" | "other";

const WAYS: Record<Exclude<Way, "other">, Vec3> = { "+x": [1, 0, 0], "-x": [-1, 0, 0], "+y": [0, 1, 0], "-y": [0, -1, 0] };

const wait = () => state.busy() !== null || state.model() === null;

/** A question that has a direction: its button, the usual ways, and any other by its components. */
function directed(label: string, word: string, first: Way, testid: string, find: (way: Vec3) => Promise<void>, beside: HTMLElement | null = null): HTMLElement {
  const way = signal<Way>(first);
  const own: [Signal<number>, Signal<number>, Signal<number>] = [signal(1), signal(1), signal(0)];
  const components = h("div", { class: "vector", role: "group", "aria-label": `${label} ${word}` }, (["x", "y", "z"] as const).map((axis, k) => numberField({ label: axis, value: own[k]!, compact: true, testid: `${testid}-${axis}` })));
  effect(() => void (components.hidden = way() !== "other"));
  const onclick = () => {
    const chosen = way.peek();
    const along = chosen === "other" ? (own.map((each) => each.peek()) as Vec3) : WAYS[chosen];
    if (Math.hypot(...along) > 0) return void find(along);
    state.notice.set({ tone: "error", text: "0, 0, 0 is no direction.", help: "Give at least one component." });
  };
  return h(
    "div",
    {},
    h(
      "div",
      { class: "button-row directed" },
      button({ label, testid, disabled: wait, onclick }),
      select<Way>(
        word,
        () => [...(Object.keys(WAYS) as Way[]).map((value) => ({ value, label: value.replace("-", "−") })), { value: "other", label: "other…" }],
        () => way(),
        (value) => way.set(value),
        `${testid}-direction`,
      ),
      beside,
    ),
    components,
  );
}

const certificateButton = () =>
  button({ label: "Certificate", title: "Download the certificate that proves the verdict", icon: "save", iconOnly: true, testid: "certificate", disabled: () => state.check() === null || state.busy() !== null, onclick: () => void certificate() });

/** One button for each load case of the model. */
function loadButtons(): HTMLElement {
  const box = h("span", { class: "several" });
  let end = () => {};
  effect(() => {
    const names = state.model()?.loads ?? [];
    end();
    const [buttons, ends] = collected(() =>
      names.map((name) => button({ label: `How much of “${name}”`, title: `Largest multiple of load case “${name}” that it carries`, testid: `multiplier-${name}`, disabled: wait, onclick: () => void multiplier(name) })),
    );
    end = ends;
    box.hidden = names.length === 0;
    box.replaceChildren(...buttons);
  });
  return box;
}

export function marginsSection(): HTMLElement {
  return section(
    "Safety margins",
    directed("Critical tilt", "about", "+y", "critical-tilt", criticalTilt),
    directed("Lateral capacity", "along", "+x", "capacity", capacity, certificateButton()),
    h("div", { class: "button-row" }, button({ label: "Minimum friction", testid: "least-friction", disabled: wait, onclick: () => void leastFriction() }), loadButtons()),
    marginList(),
  );
}

/** All that were found; those of other assumptions say so. */
function marginList(): HTMLElement {
  const list = h("ul", { class: "margins", "aria-label": "Safety margins that were found", testid: "margin-list" });
  effect(() => {
    const margins = state.margins();
    const shown = state.shownMargin();
    const now = assumptions({ ...state.situation(), tilt: null, loads: [] });
    list.hidden = margins.length === 0;
    list.replaceChildren(
      ...margins.map((margin, index) => {
        const found = JSON.parse(margin.assumed) as Parameters<typeof assumptions>[0];
        const other = assumptions({ ...found, tilt: null, loads: [] }) !== now;
        const see = margin.motion && h("button", { type: "button", class: "link", "aria-pressed": String(shown === margin), "aria-label": `Mechanism of ${margin.title}`, testid: `margin-see-${index}` }, shown === margin ? "Hide mechanism" : "Mechanism");
        see?.addEventListener("click", () => state.shownMargin.update((before) => (before === margin ? null : margin)));
        return h(
          "li",
          { class: other ? "other" : undefined, testid: `margin-${index}` },
          h("div", { class: "margin-head" }, h("span", {}, margin.title), h("b", {}, margin.value)),
          h("p", { class: "margin-says" }, margin.conclusion),
          h("p", { class: "hint" }, `By ${margin.how}${margin.assumedWords ? `; ${margin.assumedWords}` : ""}${other ? ". Other assumptions than now." : ""} `, see),
        );
      }),
    );
  });
  return list;
}
