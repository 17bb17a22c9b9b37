/** Tables of all joints and all blocks under the view: sorted by any column, rows linked to the view, taken along as CSV. */

import { BLOCK_COLUMNS, type BlockRow, type Column, JOINT_COLUMNS, type JointRow, blockTable, cells, csvOf, jointTable, sorted, told } from "../columns";
import { download } from "../download";
import { plural, whole } from "../format";
import { hovered, pickJoint, pickedJoint } from "../inspect";
import * as state from "../state";
import { effect, signal, untracked } from "../store";
import { button, segments } from "../ui/controls";
import { h } from "../ui/h";
import { units } from "../units";

export const tablesShown = signal(false);
type Which = "joints" | "blocks";
const which = signal<Which>("joints");

/** Heights of a row, for a mouse and for a finger. */
const ROW = { fine: 24, coarse: 34 };
/** A run that plays changes all numbers with every picture: the table follows this often. */
const FOLLOW_MS = 250;

interface Order {
  column: string;
  down: boolean;
}

type Row = JointRow | BlockRow;

const isJoint = (row: Row): row is JointRow => "joint" in row;
const indexOf = (row: Row) => (isJoint(row) ? row.joint : row.block);

export function tablesPanel(): HTMLElement {
  const rowPx = matchMedia("(pointer: coarse)").matches ? ROW.coarse : ROW.fine;
  const wanted = signal("");
  const order: Record<Which, ReturnType<typeof signal<Order | null>>> = { joints: signal<Order | null>(null), blocks: signal<Order | null>(null) };
  /** Numbers as they were last read, and rows as they are listed. */
  const read = signal<{ which: Which; rows: Row[] }>({ which: "joints", rows: [] });
  let rows: Row[] = [];
  let columns: Column<Row>[] = [];
  let texts: ((row: Row) => string)[] = [];
  let cursor = 0;

  const search = h("input", { type: "search", class: "search", placeholder: "Filter by name", "aria-label": "Filter the table", testid: "table-filter" });
  search.addEventListener("input", () => wanted.set(search.value.trim().toLowerCase()));
  const count = h("span", { class: "unit", testid: "table-count" });
  const head = h("tr", {});
  const body = h("tbody", {});
  const table = h("table", { class: "numbers", testid: "table" }, h("thead", {}, head), body);
  const scroll = h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Table. Arrow keys go from row to row, Enter picks.", testid: "table-scroll" }, table);

  const isChosen = (row: Row) => (isJoint(row) ? untracked(pickedJoint) === row.joint : untracked(pickedJoint) === null && state.selection.peek().has(row.block));

  function choose(index: number, adds = false): void {
    const row = rows[index];
    if (!row) return;
    cursor = index;
    if (isJoint(row)) return pickJoint(row.joint);
    const next = adds ? new Set(state.selection.peek()) : new Set<number>();
    if (!next.delete(row.block)) next.add(row.block);
    state.selection.set(next);
  }

  function draw(): void {
    const first = Math.max(0, Math.floor(scroll.scrollTop / rowPx) - 6);
    const last = Math.min(rows.length, first + Math.ceil((scroll.clientHeight || 240) / rowPx) + 12);
    const room = (px: number) => h("tr", { "aria-hidden": "true", class: "room" }, h("td", { colspan: columns.length, style: `height:${px}px` }));
    body.replaceChildren(
      ...(first > 0 ? [room(first * rowPx)] : []),
      ...rows.slice(first, last).map((row, offset) => {
        const index = first + offset;
        const line = h(
          "tr",
          { style: `height:${rowPx}px`, "aria-rowindex": index + 2, "aria-current": isChosen(row) ? "true" : undefined, class: index === cursor ? "cursor" : undefined, testid: `row-${indexOf(row)}` },
          texts.map((text, k) => h("td", { class: columns[k]!.kind === "text" ? "text" : undefined }, text(row))),
        );
        line.addEventListener("click", (event) => choose(index, event.ctrlKey || event.metaKey || event.shiftKey));
        line.addEventListener("pointerenter", () => hovered.set({ kind: isJoint(row) ? "joint" : "block", index: indexOf(row), at: null }));
        return line;
      }),
      ...(last < rows.length ? [room((rows.length - last) * rowPx)] : []),
    );
    table.setAttribute("aria-rowcount", String(rows.length + 1));
  }

  function intoView(index: number): void {
    const top = index * rowPx;
    const seen = scroll.clientHeight - rowPx - head.offsetHeight;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top > scroll.scrollTop + seen) scroll.scrollTop = top - seen;
  }

  scroll.addEventListener("pointerleave", () => hovered.set(null));
  scroll.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(scroll);
  scroll.addEventListener("keydown", (event) => {
    if (event.target !== scroll) return;
    const page = Math.max(1, Math.floor(scroll.clientHeight / rowPx) - 2);
    const to: Record<string, number> = { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: rows.length - 1 };
    if (event.key === "Enter" || event.key === " ") choose(cursor, event.key === " ");
    else if (event.key in to) {
      cursor = Math.min(Math.max(to[event.key]!, 0), Math.max(rows.length - 1, 0));
      intoView(cursor);
      draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  // Numbers are read while the table is seen, and not for every picture of a run that plays.
  let timer = 0;
  const readNow = () => {
    timer = 0;
    untracked(() => read.set({ which: which(), rows: which() === "joints" ? jointTable() : blockTable() }));
  };
  effect(() => {
    if (!tablesShown()) return;
    for (const each of [state.model, state.geometry, state.check, state.checkError, state.heldFixed, state.density, state.atRest, state.equilibrium, state.framesSeen, state.playhead, which]) each();
    if (!untracked(state.onRun) || !state.playing.peek()) return readNow();
    if (!timer) timer = window.setTimeout(readNow, FOLLOW_MS);
  });

  effect(() => {
    const { which: now, rows: all } = read();
    units();
    const word = wanted();
    const sort = order[now]();
    columns = told((now === "joints" ? JOINT_COLUMNS : BLOCK_COLUMNS) as Column<Row>[], all);
    const listed = word ? all.filter((row) => (isJoint(row) ? row.between : `${row.name} ${row.group}`).toLowerCase().includes(word)) : all;
    rows = sorted(listed, columns.find(({ id }) => id === sort?.column), sort?.down ?? false);
    const made = columns.map((column) => cells(column, all));
    texts = made.map(({ text }) => text);
    head.replaceChildren(
      ...columns.map((column, k) => {
        const isSorted = sort?.column === column.id;
        const turn = () => order[now].set(!isSorted ? { column: column.id, down: column.kind !== "text" && k > 0 } : { column: column.id, down: !sort.down });
        return h(
          "th",
          { scope: "col", class: column.kind === "text" ? "text" : undefined, "aria-sort": isSorted ? (sort.down ? "descending" : "ascending") : undefined },
          h("button", { type: "button", testid: `sort-${column.id}`, onclick: turn }, made[k]!.head, h("span", { "aria-hidden": "true", class: "sort-mark" }, isSorted ? (sort.down ? "▼" : "▲") : "")),
        );
      }),
    );
    count.textContent = rows.length === all.length ? plural(all.length, now.slice(0, -1)) : `${whole(rows.length)} of ${plural(all.length, now.slice(0, -1))}`;
    cursor = Math.min(cursor, Math.max(rows.length - 1, 0));
    draw();
  });

  // What was picked in the view is brought into sight here.
  effect(() => {
    const [joint, selection, { which: now }] = [pickedJoint(), state.selection(), read()];
    const wantedIndex = now === "joints" ? joint : selection.size === 1 ? [...selection][0]! : null;
    const index = wantedIndex === null ? -1 : rows.findIndex((row) => indexOf(row) === wantedIndex);
    if (index >= 0 && index !== cursor) {
      cursor = index;
      intoView(index);
    }
    draw();
  });

  const csv = () => {
    const name = `${state.model.peek()?.name ?? "model"}-${which.peek()}.csv`;
    download(name, new Blob([csvOf(columns, rows)], { type: "text/csv" }));
  };
  const panel = h(
    "section",
    { class: "tables", "aria-label": "Tables", testid: "tables-panel" },
    h(
      "div",
      { class: "tables-head" },
      segments("Table", [{ value: "joints", label: "Joints" }, { value: "blocks", label: "Blocks" }], which as typeof which & ReturnType<typeof signal<string>>, "table-which"),
      search,
      count,
      h("span", { class: "grow" }),
      button({ label: "CSV", title: "Download the table, in SI units", icon: "save", testid: "table-csv", onclick: csv }),
      button({ label: "Close the tables", icon: "close", iconOnly: true, kind: "quiet", testid: "tables-close", onclick: () => tablesShown.set(false) }),
    ),
    scroll,
  );
  effect(() => void (panel.hidden = !tablesShown()));
  return panel;
}
