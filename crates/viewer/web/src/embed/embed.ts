/**
 * A view of a structure inside a page that it shares with others, such as a notebook: no server, no network.
 *
 * `drystone.show(element, buffer)` draws what the buffer tells into the element.
 */

import { Vector2 } from "three";
import type { StandardView } from "../scene/stage";
import { h } from "../ui/h";
import { icon, type IconName } from "../ui/icons";
import { bar } from "./bar";
import { decode, type Header } from "./data";
import style from "./embed.css?inline";
import { type Shown, View } from "./view";

const VIEWS: [StandardView, IconName, string][] = [
  ["three-quarter", "cube", "From the side and above"],
  ["front", "front", "From the front"],
  ["side", "side", "From the right"],
  ["top", "top", "From above"],
];
/** A pointer that moves farther than this between press and release has turned the view (pixels). */
const CLICK = 4;

export function show(root: HTMLElement, buffer: ArrayBuffer): View | null {
  const figure = decode(buffer);
  const { header, frames } = figure;
  const theme = header.theme ?? themeAround();
  root.dataset.theme = theme;
  root.classList.add("drystone");
  document.head.append(h("style", {}, style));
  const canvas = h("canvas", { "aria-label": header.caption });
  const scene = h("div", { class: "scene" }, canvas);
  const foot = h("div", { class: "foot" });
  root.append(caption(header), scene, foot);
  let view: View;
  try {
    view = new View(canvas, figure, theme);
  } catch (error) {
    foot.remove();
    scene.replaceChildren(h("p", { class: "message" }, `This view needs WebGL: ${error instanceof Error ? error.message : error}`));
    return null;
  }
  const name = h("div", { class: "name", hidden: true });
  scene.append(name);
  if (header.motion !== "none") foot.append(bar(view, header, frames.length));
  foot.append(scales(header), tools(view, root, figure.forces.length > 0, figure.resultants.length > 0));
  scrollAfterClick(view, canvas);
  nameOnClick(view, canvas, header.names, name);
  return view;
}

/** The theme of the page around, where it tells, else of the system. */
function themeAround(): "light" | "dark" {
  try {
    const { body } = window.parent.document;
    if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false" ? "dark" : "light";
    const kind = body.dataset.vscodeThemeKind;
    if (kind) return kind.includes("light") ? "light" : "dark";
  } catch {
    // The page around is none of ours to look at.
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

const caption = ({ caption, verdict }: Header) => h("div", { class: "head" }, verdict && h("b", { class: verdict }, verdict), caption);

/** How large the longest arrows are. */
const scales = ({ force_scale, resultant_scale }: Header) =>
  h(
    "div",
    { class: "scales" },
    force_scale && h("span", { class: "force" }, `largest force ${force_scale}`),
    resultant_scale && h("span", { class: "resultant" }, `largest resultant ${resultant_scale}`),
  );

function tools(view: View, root: HTMLElement, forces: boolean, resultants: boolean): HTMLElement {
  const look = VIEWS.map(([way, picture, title]) => button(picture, title, () => view.stage.look(way)));
  const fit = button("fit", "Fit into the view", () => view.stage.fit());
  const switchOf = (what: keyof Shown, words: string) => {
    const box = h("input", { type: "checkbox", checked: view.shown[what] });
    const tell = () => root.toggleAttribute(`data-${what}`, box.checked);
    box.addEventListener("change", () => (view.show({ [what]: box.checked }), tell()));
    tell();
    return h("label", {}, box, words);
  };
  return h(
    "div",
    { class: "tools" },
    forces && switchOf("forces", "forces"),
    resultants && switchOf("resultants", "resultants"),
    switchOf("edges", "edges"),
    h("span", { class: "buttons" }, ...look, fit),
  );
}

function button(picture: IconName, title: string, act: () => void): HTMLElement {
  const made = h("button", { type: "button", title, "aria-label": title }, icon(picture));
  made.addEventListener("click", act);
  return made;
}

/** The wheel scrolls the notebook, until the view is clicked. */
function scrollAfterClick(view: View, canvas: HTMLCanvasElement): void {
  const { controls } = view.stage;
  controls.enableZoom = false;
  canvas.addEventListener("pointerdown", () => (controls.enableZoom = true));
  canvas.addEventListener("pointerleave", (event) => event.buttons === 0 && (controls.enableZoom = false));
}

/** A click tells what a block is called. */
function nameOnClick(view: View, canvas: HTMLCanvasElement, names: string[], told: HTMLElement): void {
  let from = new Vector2();
  canvas.addEventListener("pointerdown", (event) => (from = new Vector2(event.offsetX, event.offsetY)));
  canvas.addEventListener("pointerup", (event) => {
    const at = new Vector2(event.offsetX, event.offsetY);
    if (at.distanceTo(from) > CLICK) return;
    const block = view.blockAt(at);
    told.hidden = block === null;
    told.textContent = block === null ? "" : names[block]!;
    told.style.left = `${at.x + 10}px`;
    told.style.top = `${at.y + 10}px`;
  });
}
