/** Tabs with their panels; arrow keys go from tab to tab. */

import { type Signal, effect } from "../store";
import { h } from "./h";

export interface TabEntry<T extends string> {
  id: T;
  label: string;
  /** Where the label is short for something. */
  title?: string;
  content: HTMLElement;
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
    const now = entries.findIndex((entry) => entry.id === value.peek());
    const to: Record<string, number> = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: entries.length - 1 };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + entries.length) % entries.length;
    value.set(entries[index]!.id);
    heads[index]!.focus();
  });
  effect(() => {
    entries.forEach((entry, index) => {
      const chosen = entry.id === value();
      heads[index]!.setAttribute("aria-selected", String(chosen));
      heads[index]!.tabIndex = chosen ? 0 : -1;
      panels[index]!.hidden = !chosen;
    });
  });
  return h("div", { class: "tabs" }, list, panels);
}
