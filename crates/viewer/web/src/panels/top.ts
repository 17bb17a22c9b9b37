/** The bar on top: what is open, history, saving, theme, help. */

import { redo, undo } from "../actions/edit";
import { saveDownload, saveInFolder } from "../actions/open";
import { preference } from "../persist";
import * as state from "../state";
import { effect } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";

export function toggleTheme(): void {
  const next = state.theme.peek() === "light" ? "dark" : "light";
  state.theme.set(next);
  preference.set("theme", next);
}

/** The theme that was chosen here, else the one that the system prefers, followed as it changes. */
export function startTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = preference.get("theme");
  state.theme.set(chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => {
    if (!preference.get("theme")) state.theme.set(dark.matches ? "dark" : "light");
  });
  effect(() => void (document.documentElement.dataset.theme = state.theme()));
}

function saveDialog(): HTMLDialogElement {
  const path = h("input", { type: "text", id: "save-path", testid: "save-path", autocomplete: "off", spellcheck: "false" });
  const inFolder = h("div", { class: "text-row" }, h("label", { for: "save-path" }, "File in the folder"), path);
  const into = button({ label: "Save in folder", kind: "primary", testid: "save-folder", onclick: () => (dialog.close(), void saveInFolder(path.value)) });
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "save-title", testid: "save-dialog" },
    h("h2", { id: "save-title" }, "Save the model"),
    inFolder,
    h(
      "div",
      { class: "button-row end" },
      button({ label: "Cancel", kind: "quiet", onclick: () => dialog.close() }),
      button({ label: "Download", icon: "save", testid: "save-download", onclick: () => (dialog.close(), void saveDownload()) }),
      into,
    ),
  );
  effect(() => {
    const folder = state.hello()?.folder ?? null;
    inFolder.hidden = folder === null;
    into.hidden = folder === null;
    path.value = `${state.model()?.name ?? "model"}.json`;
  });
  return dialog;
}

export function topBar(help: () => void, sides: { left: () => void; right: () => void }): HTMLElement {
  const name = h("h1", { class: "model-name", testid: "model-name" });
  effect(() => {
    const model = state.model();
    name.textContent = model?.name ?? "";
    document.title = model ? `${model.name} – drystone` : "drystone";
  });
  const dialog = saveDialog();
  const themeButton = button({ label: "Light or dark", icon: "moon", iconOnly: true, kind: "quiet", onclick: toggleTheme, testid: "theme" });
  return h(
    "header",
    { class: "top" },
    button({ label: "Show or hide the left panel ([)", icon: "left", iconOnly: true, kind: "quiet", onclick: sides.left, testid: "toggle-left" }),
    h("span", { class: "brand" }, "drystone"),
    name,
    h("span", { class: "grow" }),
    button({ label: "Undo (Ctrl+Z)", icon: "undo", iconOnly: true, kind: "quiet", disabled: () => !state.model()?.undo, onclick: () => void undo(), testid: "undo" }),
    button({ label: "Redo (Ctrl+Shift+Z)", icon: "redo", iconOnly: true, kind: "quiet", disabled: () => !state.model()?.redo, onclick: () => void redo(), testid: "redo" }),
    button({ label: "Save", icon: "save", onclick: () => dialog.showModal(), disabled: () => state.model() === null, testid: "save", title: "Save (Ctrl+S)" }),
    themeButton,
    button({ label: "?", title: "Keyboard shortcuts (?)", kind: "quiet", onclick: help, testid: "help" }),
    button({ label: "Show or hide the right panel (])", icon: "right", iconOnly: true, kind: "quiet", onclick: sides.right, testid: "toggle-right" }),
    dialog,
  );
}
