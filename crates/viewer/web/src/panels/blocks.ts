/** All blocks by group, as one list that draws only the rows in sight: thousands scroll as tens do. */

import { mass, plural } from "../format";
import { massOf, supportsNow } from "../numbers";
import * as state from "../state";
import { effect, signal } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";

export interface Row {
  kind: "group" | "block";
  label: string;
  detail: string;
  blocks: number[];
}

interface Listed {
  name: string;
  group: string | null;
}

/** Heights of a row, for a mouse and for a finger. */
const ROW = { fine: 26, coarse: 34 };

/** Groups in the order in which they first appear, each followed by its blocks; no headings where there is one group. */
export function rowsOf<Block extends Listed>(blocks: readonly Block[], wanted: string, told: (block: Block) => string = () => ""): Row[] {
  const groups = new Map<string, number[]>();
  blocks.forEach((block, index) => {
    const group = block.group ?? "";
    if (wanted && !`${block.name} ${group}`.toLowerCase().includes(wanted)) return;
    const members = groups.get(group);
    if (members) members.push(index);
    else groups.set(group, [index]);
  });
  const rows: Row[] = [];
  for (const [group, members] of groups) {
    if (groups.size > 1 || group) rows.push({ kind: "group", label: group || "no group", detail: String(members.length), blocks: members });
    for (const index of members) {
      const block = blocks[index]!;
      rows.push({ kind: "block", label: block.name, detail: told(block), blocks: [index] });
    }
  }
  return rows;
}

export function blocksPanel(): HTMLElement {
  const wanted = signal("");
  const cursor = signal(0);
  let anchor = 0;
  let rows: Row[] = [];
  const rowPx = matchMedia("(pointer: coarse)").matches ? ROW.coarse : ROW.fine;
  const search = h("input", { type: "search", placeholder: "Filter by name or group", "aria-label": "Filter blocks", class: "search", testid: "block-filter" });
  search.addEventListener("input", () => wanted.set(search.value.trim().toLowerCase()));
  const inner = h("div", { class: "rows-inner", role: "presentation" });
  const list = h("div", { class: "rows", role: "listbox", tabindex: 0, "aria-label": "Blocks", "aria-multiselectable": "true", testid: "block-list" }, inner);
  const count = h("span", { class: "row-count", testid: "selection-count" });

  const isChosen = (row: Row) => row.blocks.length > 0 && row.blocks.every((block) => state.selection.peek().has(block));

  function draw(): void {
    const first = Math.max(0, Math.floor(list.scrollTop / rowPx) - 4);
    const last = Math.min(rows.length, first + Math.ceil((list.clientHeight || 600) / rowPx) + 8);
    inner.style.height = `${rows.length * rowPx}px`;
    inner.replaceChildren(
      ...rows.slice(first, last).map((row, offset) => {
        const index = first + offset;
        return h(
          "div",
          {
            class: `row ${row.kind}${index === cursor.peek() ? " cursor" : ""}`, role: "option", id: `block-row-${index}`, "aria-selected": String(isChosen(row)),
            "aria-posinset": index + 1, "aria-setsize": rows.length, style: `top:${index * rowPx}px; height:${rowPx}px`, onclick: (event: MouseEvent) => choose(index, event),
          },
          h("span", {}, row.label),
          h("span", { class: "row-detail" }, row.detail),
        );
      }),
    );
    list.setAttribute("aria-activedescendant", rows.length ? `block-row-${cursor.peek()}` : "");
  }

  /** Plain: this one alone. Ctrl: this one as well, or no longer. Shift: all from the last one. */
  function choose(index: number, keys: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }): void {
    const row = rows[index];
    if (!row) return;
    cursor.set(index);
    if (keys.shiftKey) {
      const [from, to] = anchor < index ? [anchor, index] : [index, anchor];
      state.selection.set(new Set(rows.slice(from, to + 1).flatMap((each) => (each.kind === "block" ? each.blocks : []))));
      return;
    }
    anchor = index;
    if (keys.ctrlKey || keys.metaKey) {
      const next = new Set(state.selection.peek());
      const out = isChosen(row);
      for (const block of row.blocks) out ? next.delete(block) : next.add(block);
      state.selection.set(next);
    } else state.selection.set(new Set(row.blocks));
  }

  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / rowPx) - 1);
    const now = cursor.peek();
    const to: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + page, PageUp: now - page, Home: 0, End: rows.length - 1 };
    if (event.key === " " || event.key === "Enter") choose(now, { ctrlKey: event.key === " ", metaKey: false, shiftKey: event.shiftKey });
    else if (event.key in to) {
      const index = Math.min(Math.max(to[event.key]!, 0), rows.length - 1);
      cursor.set(index);
      if (event.shiftKey) choose(index, event);
      const top = index * rowPx;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + rowPx > list.scrollTop + list.clientHeight) list.scrollTop = top + rowPx - list.clientHeight;
      draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(list);
  effect(() => {
    const isFixed = supportsNow();
    rows = rowsOf(state.model()?.blocks ?? [], wanted(), (block) => (isFixed(block) ? "support" : mass(massOf(block))));
    if (cursor.peek() >= rows.length) cursor.set(0);
    draw();
  });
  effect(() => {
    cursor();
    const chosen = state.selection();
    count.textContent = chosen.size ? `${plural(chosen.size, "block")} selected` : "None selected";
    draw();
  });
  return h(
    "div",
    { class: "panel-body fill" },
    search,
    h(
      "div",
      { class: "button-row spread" },
      count,
      button({ label: "All", kind: "quiet", testid: "select-all", onclick: () => state.selection.set(new Set(state.model.peek()?.blocks.keys() ?? [])) }),
      button({ label: "None", kind: "quiet", testid: "select-none", onclick: () => state.selection.set(new Set()) }),
    ),
    list,
  );
}
