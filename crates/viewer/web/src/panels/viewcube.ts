/** A cube that turns with the view: its faces are clicked to look from there, its edges are the axes. */

import { Matrix4, Vector3 } from "three";
import type { Stage, StandardView } from "../scene/stage";
import { h, s } from "../ui/h";

interface Face {
  view: StandardView;
  label: string;
  normal: [number, number, number];
  /** Where its words run, and where their heads point. */
  right: [number, number, number];
  up: [number, number, number];
}

const FACES: Face[] = [
  { view: "front", label: "Front", normal: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1] },
  { view: "back", label: "Back", normal: [0, 1, 0], right: [-1, 0, 0], up: [0, 0, 1] },
  { view: "side", label: "Right", normal: [1, 0, 0], right: [0, 1, 0], up: [0, 0, 1] },
  { view: "left", label: "Left", normal: [-1, 0, 0], right: [0, -1, 0], up: [0, 0, 1] },
  { view: "top", label: "Top", normal: [0, 0, 1], right: [1, 0, 0], up: [0, 1, 0] },
  { view: "bottom", label: "Below", normal: [0, 0, -1], right: [1, 0, 0], up: [0, -1, 0] },
];

const AXES = [
  { name: "x", way: [1, 0, 0], faces: ["front", "bottom"] },
  { name: "y", way: [0, 1, 0], faces: ["left", "bottom"] },
  { name: "z", way: [0, 0, 1], faces: ["front", "left"] },
] as const;

const SIZE = 104;
/** Half an edge of the cube, in pixels. */
const HALF = 23;
/** How far axes reach, and where their letters stand, from the corner, in halves of an edge. */
const REACH = 2.7;
const LETTER = 3.05;

export function viewCube(stage: Stage): HTMLElement {
  const under = s("g");
  const over = s("g");
  const faces = FACES.map((face) => {
    const text = s("text", { class: "cube-text", "text-anchor": "middle", "dominant-baseline": "central" });
    text.textContent = face.label;
    const side = s("polygon", { class: "cube-side" });
    const look = () => stage.look(face.view);
    const group = s("g", { role: "button", tabindex: 0, "aria-label": `Look from ${face.label === "Below" ? "below" : `the ${face.label.toLowerCase()}`}`, class: "cube-face", "data-testid": `cube-${face.view}` }, side, text);
    group.addEventListener("click", look);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      look();
    });
    return { ...face, group, side, text };
  });
  const axes = AXES.map((axis) => {
    const line = s("line", { class: `cube-axis axis-${axis.name}` });
    const letter = s("text", { class: `cube-letter axis-${axis.name}`, "text-anchor": "middle", "dominant-baseline": "central" });
    letter.textContent = axis.name;
    return { ...axis, line, letter, group: s("g", {}, line, letter) };
  });
  const picture = s("svg", { viewBox: `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`, width: SIZE, height: SIZE }, under, ...faces.map(({ group }) => group), over);
  const cube = h("div", { class: "view-cube", role: "group", "aria-label": "View cube and axes", testid: "view-cube" }, picture);

  const turn = new Matrix4();
  const at = new Vector3();
  /** Across and down in the picture, and towards the eye. */
  const seen = (x: number, y: number, z: number): [number, number, number] => {
    at.set(x, y, z).applyMatrix4(turn);
    return [at.x * HALF, -at.y * HALF, at.z];
  };
  let drawn = "";
  stage.beforeRender(() => {
    stage.camera.updateMatrixWorld();
    turn.extractRotation(stage.camera.matrixWorldInverse);
    const now = turn.elements.map((each) => each.toFixed(4)).join();
    if (now === drawn) return;
    drawn = now;
    const visible = new Set<string>();
    for (const { view, normal, right, up, group, side, text } of faces) {
      const [x, y, towards] = seen(...normal);
      const isSeen = towards > 0.02;
      group.style.display = isSeen ? "" : "none";
      if (!isSeen) continue;
      visible.add(view);
      const [ux, uy] = seen(...right);
      const [vx, vy] = seen(...up);
      const corner = (a: number, b: number) => `${x + a * ux + b * vx},${y + a * uy + b * vy}`;
      side.setAttribute("points", [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].join(" "));
      text.setAttribute("transform", `matrix(${ux / HALF} ${uy / HALF} ${-vx / HALF} ${-vy / HALF} ${x} ${y})`);
    }
    for (const { way, faces: sides, line, letter, group } of axes) {
      const place = (along: number) => seen(along * way[0] - 1, along * way[1] - 1, along * way[2] - 1);
      const [from, to, word] = [place(0), place(REACH), place(LETTER)];
      Object.entries({ x1: from[0], y1: from[1], x2: to[0], y2: to[1] }).forEach(([name, value]) => line.setAttribute(name, String(value)));
      letter.setAttribute("x", String(word[0]));
      letter.setAttribute("y", String(word[1]));
      // Seen end-on, a letter would lie on the corner.
      letter.style.display = Math.hypot(word[0] - from[0], word[1] - from[1]) < 8 ? "none" : "";
      (sides.some((side) => visible.has(side)) ? over : under).append(group);
    }
  });
  return cube;
}
