/** Keyboard shortcuts, written once: the help lists what the page does. */

import { redo, remove, undo } from "./actions/edit";
import { dimensions, measuring } from "./measure";
import { togglePlay } from "./panels/bottom";
import { tablesShown } from "./panels/tables";
import { toggleTheme } from "./panels/top";
import type { Stage } from "./scene/stage";
import * as state from "./state";
import { button } from "./ui/controls";
import { h } from "./ui/h";

interface Shortcut {
  keys: string;
  says: string;
  matches: (event: KeyboardEvent) => boolean;
  run: () => void;
}

const key = (name: string) => (event: KeyboardEvent) => event.key.toLowerCase() === name && !event.ctrlKey && !event.metaKey && !event.altKey;
const ctrl = (name: string, shift = false) => (event: KeyboardEvent) =>
  event.key.toLowerCase() === name && (event.ctrlKey || event.metaKey) && event.shiftKey === shift;

export function shortcuts(stage: Stage, acts: { help: () => void; left: () => void; right: () => void; save: () => void }): Shortcut[] {
  const { view } = state;
  const tab = (name: state.Tab) => () => state.tab.set(name);
  return [
    { keys: "F", says: "Fit the structure into the view", matches: key("f"), run: () => stage.fit() },
    { keys: "1", says: "Three-quarter view", matches: key("1"), run: () => stage.look("three-quarter") },
    { keys: "2", says: "Front view", matches: key("2"), run: () => stage.look("front") },
    { keys: "3", says: "Side view", matches: key("3"), run: () => stage.look("side") },
    { keys: "4", says: "Top view", matches: key("4"), run: () => stage.look("top") },
    { keys: "O", says: "Parallel or perspective", matches: key("o"), run: () => view.ortho.update((on) => !on) },
    { keys: "E", says: "Edges", matches: key("e"), run: () => view.edges.update((on) => !on) },
    { keys: "J", says: "Joints", matches: key("j"), run: () => view.joints.update((on) => !on) },
    { keys: "X", says: "Dimensions", matches: key("x"), run: () => dimensions.update((on) => !on) },
    { keys: "M", says: "Measure between two points", matches: key("m"), run: () => measuring.update((on) => !on && state.atRest()) },
    { keys: "B", says: "Tables of joints and blocks", matches: key("b"), run: () => tablesShown.update((on) => !on) },
    { keys: "C", says: "Check", matches: key("c"), run: tab("check") },
    { keys: "D", says: "Edit", matches: key("d"), run: tab("edit") },
    { keys: "T", says: "Thrust", matches: key("t"), run: tab("thrust") },
    { keys: "S", says: "Shake", matches: key("s"), run: tab("shake") },
    { keys: "W", says: "Slow loading", matches: key("w"), run: tab("slow") },
    { keys: "R", says: "Report", matches: key("r"), run: tab("report") },
    { keys: "Y", says: "Study, where one is open", matches: key("y"), run: () => state.study.peek() && state.tab.set("study") },
    { keys: "Space", says: "Play or pause the run or the path", matches: key(" "), run: togglePlay },
    { keys: "Ctrl A", says: "Select all blocks", matches: ctrl("a"), run: () => state.selection.set(new Set(state.model.peek()?.blocks.keys() ?? [])) },
    { keys: "Esc", says: "End measuring; select none", matches: key("escape"), run: () => (measuring.peek() ? measuring.set(false) : state.selection.set(new Set())) },
    { keys: "Del", says: "Delete the selected blocks (Edit)", matches: (event) => key("delete")(event) && state.tab.peek() === "edit", run: () => void remove() },
    { keys: "Ctrl Z", says: "Undo", matches: ctrl("z"), run: () => void undo() },
    { keys: "Ctrl ⇧ Z", says: "Redo", matches: ctrl("z", true), run: () => void redo() },
    { keys: "Ctrl S", says: "Save", matches: ctrl("s"), run: acts.save },
    { keys: "L", says: "Light or dark", matches: key("l"), run: toggleTheme },
    { keys: "[", says: "Left panel", matches: key("["), run: acts.left },
    { keys: "]", says: "Right panel", matches: key("]"), run: acts.right },
    { keys: "?", says: "This list", matches: key("?"), run: acts.help },
  ];
}

export function listen(list: Shortcut[]): void {
  addEventListener("keydown", (event) => {
    const at = event.target as HTMLElement;
    const typing = at.matches?.("input:not([type=range]):not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]");
    // What is open over the page has its own Escape, which a key that is taken here would not reach.
    if (document.querySelector("dialog[open], :popover-open")) return;
    // Space presses what has the focus; letters choose in lists.
    const presses = event.key === " " && at.matches?.("button, input, summary, [role=option], [role=listbox]");
    if (presses || (typing && !(event.ctrlKey || event.metaKey))) return;
    if (typing && event.key.toLowerCase() !== "s") return;
    const found = list.find((each) => each.matches(event));
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}

export function helpDialog(list: () => Shortcut[]): { dialog: HTMLDialogElement; show: () => void } {
  const rows = h("dl", { class: "keys" });
  const dialog = h(
    "dialog",
    { class: "dialog wide", "aria-labelledby": "help-title", testid: "help-dialog" },
    h("h2", { id: "help-title" }, "Keyboard and pointer"),
    rows,
    h("p", { class: "hint" }, "Drag to orbit, drag with the right button to pan, wheel to zoom. Click a block to select it, with Shift or Ctrl to add it or take it away. By touch, one finger orbits, two pan and zoom, a tap selects and a long press adds."),
    h("div", { class: "button-row end" }, button({ label: "Close", kind: "primary", onclick: () => dialog.close() })),
  );
  const show = () => {
    rows.replaceChildren(...list().map((each) => h("div", {}, h("dt", {}, h("kbd", {}, each.keys)), h("dd", {}, each.says))));
    dialog.showModal();
  };
  return { dialog, show };
}
