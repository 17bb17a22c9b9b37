/** What stands at the edge of the view: the cube, dimensions, measuring, saved views, tables. */

import { place, shown } from "../format";
import { dimensions, measured, measuring } from "../measure";
import type { Stage } from "../scene/stage";
import * as state from "../state";
import { effect } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import type { Vec3 } from "../wire/types";
import { forgetView, saveView, showView, viewsOf } from "../views";
import { tablesShown } from "./tables";
import { viewCube } from "./viewcube";

/** A list over the view, beside the button that opens it. */
function savedViews(stage: Stage): [HTMLButtonElement, HTMLElement] {
  const name = h("input", { type: "text", "aria-label": "Name of the view", autocomplete: "off", spellcheck: "false", testid: "view-name" });
  const list = h("ul", { class: "saved-views", testid: "saved-views" });
  const model = () => state.model()?.name ?? "";
  const save = () => {
    saveView(model(), name.value.trim() || `View ${viewsOf(model()).length + 1}`, stage);
    name.value = "";
  };
  name.addEventListener("keydown", (event) => event.key === "Enter" && save());
  const menu = h(
    "div",
    { class: "menu", popover: "auto", role: "dialog", "aria-label": "Saved views", testid: "views-menu" },
    list,
    h("div", { class: "save-view" }, name, button({ label: "Save view", testid: "view-save", onclick: save })),
  );
  effect(() => {
    const views = viewsOf(model());
    name.placeholder = `View ${views.length + 1}`;
    list.replaceChildren(
      ...views.map((view) =>
        h(
          "li",
          {},
          button({ label: view.name, kind: "quiet", testid: `view-saved-${view.name}`, onclick: () => showView(view, stage) }),
          button({ label: `Forget ${view.name}`, icon: "close", iconOnly: true, kind: "quiet", onclick: () => forgetView(model(), view.name) }),
        ),
      ),
      ...(views.length ? [] : [h("li", { class: "hint" }, "None of this model yet.")]),
    );
  });
  const open = button({
    label: "Saved views", icon: "views", iconOnly: true, testid: "views",
    onclick: () => {
      menu.togglePopover();
      // Beside a column of tools, beneath a row of them: no tool is covered.
      const { clientWidth, clientHeight } = open.parentElement!;
      const [box, isRow] = [open.getBoundingClientRect(), clientWidth > clientHeight];
      menu.style.top = `${isRow ? box.bottom + 6 : box.top}px`;
      menu.style.left = `${Math.max(8, isRow ? box.right - menu.offsetWidth : box.left - menu.offsetWidth - 6)}px`;
    },
  });
  return [open, menu];
}

/** What was measured, in words: also for those who do not see the line. */
function measureLine(): HTMLElement {
  const line = h("div", { class: "measured", role: "status", testid: "measured" });
  effect(() => {
    const points = measured();
    line.hidden = !measuring();
    if (points.length < 2) {
      line.textContent = points.length ? `From ${place(points[0]!)}: click the second point.` : "Click two points of blocks; corners attract.";
      return;
    }
    const by = points[1]!.map((each, k) => each - points[0]![k]!) as Vec3;
    line.replaceChildren(
      h("strong", {}, shown("length", Math.hypot(...by), 4)),
      ...(["x", "y", "z"] as const).map((axis, k) => ` · ${axis} ${shown("length", Math.abs(by[k]!) < 1e-9 ? 0 : by[k]!, 4)}`),
    );
  });
  return line;
}

export function viewTools(stage: Stage): HTMLElement[] {
  const [views, menu] = savedViews(stage);
  return [
    h(
      "div",
      { class: "view-tools" },
      viewCube(stage),
      h(
        "div",
        { class: "tool-column", role: "toolbar", "aria-label": "Tools of the view", "aria-orientation": "vertical" },
        button({ label: "Dimensions (X)", icon: "dimensions", iconOnly: true, pressed: () => dimensions(), onclick: () => dimensions.update((on) => !on), testid: "dimensions" }),
        button({ label: "Measure (M)", icon: "measure", iconOnly: true, disabled: () => !state.atRest(), pressed: () => measuring(), onclick: () => measuring.update((on) => !on), testid: "measure" }),
        views,
        button({ label: "Tables of joints and blocks (B)", icon: "table", iconOnly: true, pressed: () => tablesShown(), onclick: () => tablesShown.update((on) => !on), testid: "tables" }),
      ),
    ),
    menu,
    measureLine(),
  ];
}
