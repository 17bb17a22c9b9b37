/** Recipes to build, files to open. */

import { build, openFiles, openPath } from "../actions/open";
import { words } from "../format";
import * as state from "../state";
import { effect, signal } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import { icon } from "../ui/icons";
import { keptList } from "./kept";

/** Pictures of the recipes at their defaults, made by `cargo xtask docs`. */
const pictures = import.meta.glob<string>("../thumbnails/*.png", { eager: true, query: "?url", import: "default" });

function picture(recipe: string): HTMLElement | null {
  const url = pictures[`../thumbnails/${recipe}.png`];
  // What it shows stands beside it in words.
  return url ? h("img", { src: url, alt: "", width: 240, height: 150, loading: "lazy", decoding: "async" }) : null;
}

export function openPanel(done: () => void): HTMLElement {
  const search = h("input", { type: "search", placeholder: "Search recipes and files", "aria-label": "Search recipes and files", testid: "recipe-search", class: "search" });
  const wanted = signal("");
  search.addEventListener("input", () => wanted.set(search.value.trim().toLowerCase()));
  const chooser = h("input", { type: "file", multiple: true, hidden: true, testid: "file-input", "aria-label": "Model files", tabindex: -1 });
  chooser.addEventListener("change", () => {
    if (chooser.files?.length) void openFiles([...chooser.files]).then((opened) => opened && done());
    chooser.value = "";
  });
  const list = h("div", { class: "open-list" });
  effect(() => {
    const hello = state.hello();
    const word = wanted();
    const now = state.model()?.recipe?.name;
    const files = (hello?.files ?? []).filter((file) => file.path.toLowerCase().includes(word));
    const recipes = (hello?.recipes ?? []).filter((each) => `${each.name} ${each.summary}`.toLowerCase().includes(word));
    list.replaceChildren(
      ...(files.length
        ? [
            h("h2", { class: "caption" }, hello?.folder ? `In ${hello.folder}` : "Files"),
            h(
              "ul",
              { class: "cards" },
              files.map((file) =>
                h("li", {}, h("button", { type: "button", class: "card", testid: `file-${file.path}`, onclick: () => void openPath(file.path).then((opened) => opened && done()) }, h("strong", {}, file.path), h("span", {}, { model: "model", import: "to import", run: "run", study: "study" }[file.kind]))),
              ),
            ),
          ]
        : []),
      h("h2", { class: "caption" }, "Recipes"),
      recipes.length
        ? h(
            "ul",
            { class: "cards gallery" },
            recipes.map((recipe) =>
              h(
                "li",
                {},
                h(
                  "button",
                  { type: "button", class: "card", "aria-current": recipe.name === now ? "true" : undefined, testid: `recipe-${recipe.name}`, onclick: () => void build(recipe.name, {}).then(done) },
                  picture(recipe.name),
                  h("strong", {}, words(recipe.name)),
                  h("span", {}, recipe.summary),
                ),
              ),
            ),
          )
        : h("p", { class: "hint" }, "No recipe of that name."),
    );
  });
  return h(
    "div",
    { class: "panel-body" },
    h("div", { class: "button-row" }, button({ label: "Open a file", icon: "open", kind: "primary", testid: "open-file", onclick: () => chooser.click() }), chooser),
    h("p", { class: "hint" }, "Or drop one anywhere: model JSON, OBJ, STL, PLY, DXF, COMPAS."),
    keptList(done),
    search,
    list,
  );
}

/** Files dropped anywhere on the page are opened. */
export function acceptDrops(root: HTMLElement, done: () => void): void {
  const veil = h("div", { class: "drop-veil", hidden: true }, h("div", {}, icon("open"), "Drop to open"));
  root.append(veil);
  const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) veil.hidden = true;
  });
  addEventListener("drop", (event) => {
    veil.hidden = true;
    if (!carries(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) void openFiles(files).then((opened) => opened && done());
  });
}
