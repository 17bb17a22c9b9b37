/** The runs of a study as a list that draws only the rows in sight. */

import { chooseRun } from "../actions/study";
import { plural } from "../format";
import * as state from "../state";
import { effect, signal } from "../store";
import { outcomeOf, rowsWith } from "../study";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import type { StudyRow } from "../wire/types";

/** Heights of a row, for a mouse and for a finger. */
const ROW = { fine: 26, coarse: 34 };

export function runList(): HTMLElement {
  const wanted = signal("");
  const rowPx = matchMedia("(pointer: coarse)").matches ? ROW.coarse : ROW.fine;
  let rows: StudyRow[] = [];
  /** The row that keys go from, by its run: the list grows. */
  let cursor = 0;
  const search = h("input", { type: "search", placeholder: "Filter by name or outcome", "aria-label": "Filter runs", class: "search", testid: "run-filter" });
  search.addEventListener("input", () => wanted.set(search.value.trim()));
  const inner = h("div", { class: "rows-inner", role: "presentation" });
  const list = h("div", { class: "rows runs", role: "listbox", tabindex: 0, "aria-label": "Runs", testid: "run-list" }, inner);
  const count = h("span", { testid: "run-count" });
  const point = h("div", { class: "chips" });

  function draw(): void {
    const chosen = state.chosenRun.peek()?.run;
    const first = Math.max(0, Math.floor(list.scrollTop / rowPx) - 4);
    const last = Math.min(rows.length, first + Math.ceil((list.clientHeight || 300) / rowPx) + 8);
    inner.style.height = `${rows.length * rowPx}px`;
    inner.replaceChildren(
      ...rows.slice(first, last).map((row, offset) => {
        const index = first + offset;
        return h(
          "div",
          {
            class: `row run-row${index === cursor ? " cursor" : ""}`, role: "option", id: `run-row-${index}`, "aria-selected": String(row.run === chosen), title: `${row.label}: ${row.says}`,
            "aria-posinset": index + 1, "aria-setsize": rows.length, style: `top:${index * rowPx}px; height:${rowPx}px`, onclick: () => choose(index), testid: `run-${row.run}`,
          },
          h("span", { class: "run-label" }, h("i", { class: `run-dot ${outcomeOf(row)}`, "aria-hidden": "true" }), row.label),
          h("span", { class: "row-detail" }, row.says),
        );
      }),
    );
    list.setAttribute("aria-activedescendant", rows.length ? `run-row-${cursor}` : "");
  }

  function choose(index: number): void {
    const row = rows[index];
    if (!row) return;
    cursor = index;
    void chooseRun(row.run);
  }

  function intoView(index: number): void {
    const top = index * rowPx;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + rowPx > list.scrollTop + list.clientHeight) list.scrollTop = top + rowPx - list.clientHeight;
  }

  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / rowPx) - 1);
    const to: Record<string, number> = { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: rows.length - 1 };
    if (event.key === " " || event.key === "Enter") choose(cursor);
    else if (event.key in to) {
      cursor = Math.min(Math.max(to[event.key]!, 0), Math.max(rows.length - 1, 0));
      intoView(cursor);
      draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(list);

  effect(() => {
    const study = state.study();
    const among = state.runsOfPoint();
    const at = rows[cursor]?.run;
    rows = rowsWith(study?.listed ?? [], wanted(), among?.runs ?? null);
    // Keys go on from the run where they were, though others have come before it.
    cursor = Math.max(0, rows.findIndex(({ run }) => run === at));
    const all = study?.listed.length ?? 0;
    const beyond = study && study.done > all ? `; runs.csv has all ${study.done}` : "";
    count.textContent = `${rows.length === all ? plural(all, "run") : `${rows.length} of ${plural(all, "run")}`}${beyond}`;
    list.style.height = `${Math.min(Math.max(rows.length, 1), 10) * rowPx + 2}px`;
    draw();
  });
  effect(() => {
    const among = state.runsOfPoint();
    point.replaceChildren(
      ...(among
        ? [h("span", { class: "chip", testid: "run-point" }, among.says, button({ label: "List all runs", icon: "close", iconOnly: true, kind: "quiet", testid: "run-point-clear", onclick: () => state.runsOfPoint.set(null) }))]
        : []),
    );
    // The point was clicked above: what it stands for is listed here.
    if (among) list.scrollIntoView({ block: "nearest" });
  });
  effect(() => {
    const run = state.chosenRun()?.run;
    const index = rows.findIndex((row) => row.run === run);
    if (index >= 0) {
      cursor = index;
      intoView(index);
    }
    draw();
  });
  return h("section", { class: "section" }, h("div", { class: "caption-row" }, h("h2", { class: "caption" }, "Runs"), h("span", { class: "unit" }, count)), search, point, list);
}
