/** Tabs with their panels; arrow keys go from tab to tab. */

import { type Signal, effect, untracked } from "../store";
import { h } from "./h";

export interface TabEntry<T extends string> {
  id: T;
  label: string;
  /** Where the label is short for something. */
  title?: string;
  content: HTMLElement;
  /** Whether it is there now; without it: always. */
  shown?: () => boolean;
}

export function tabs<T extends string>(name: string, label: string, entries: TabEntry<T>[], value: Signal<T>): HTMLElement {
  const heads = entries.map((entry) =>
    h(
      "button",
      {
        type: "button", role: "tab", id: `${name}-tab-${entry.id}`, "aria-controls": `${name}-panel-${entry.id}`,
        testid: `${name}-tab-${entry.id}`, title: entry.title, onclick: () => value.set(entry.id),
      },
      entry.label,
    ),
  );
  const panels = entries.map((entry) =>
    h("div", { role: "tabpanel", id: `${name}-panel-${entry.id}`, "aria-labelledby": `${name}-tab-${entry.id}`, tabindex: 0, class: "tab-panel", testid: `${name}-panel-${entry.id}` }, entry.content),
  );
  const list = h("div", { role: "tablist", class: "tab-list", "aria-label": label }, heads);
  list.addEventListener("keydown", (event) => {
    const there = entries.filter((entry) => untracked(() => entry.shown?.() ?? true));
    const now = there.findIndex((entry) => entry.id === value.peek());
    const to: Record<string, number> = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: there.length - 1 };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const entry = there[(next + there.length) % there.length]!;
    value.set(entry.id);
    heads[entries.indexOf(entry)]!.focus();
  });
  effect(() => {
    entries.forEach((entry, index) => {
      const chosen = entry.id === value();
      heads[index]!.hidden = !(entry.shown?.() ?? true);
      heads[index]!.setAttribute("aria-selected", String(chosen));
      heads[index]!.tabIndex = chosen ? 0 : -1;
      panels[index]!.hidden = !chosen;
    });
  });
  return h("div", { class: "tabs" }, list, panels);
}
