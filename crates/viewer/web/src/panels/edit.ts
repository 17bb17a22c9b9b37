/** Changing the model: what is selected, its place, its shape, its supports, friction and loads. */

import { duplicate, edit, fixLowest, middle, move, remove, rename, rotate } from "../actions/edit";
import { mass, place, plural, together } from "../format";
import { verticesOf } from "../scene/geometry";
import { freeMass, sumOfMasses, supportsNow } from "../numbers";
import * as state from "../state";
import { type Signal, effect, signal, untracked } from "../store";
import { button, checkbox, facts, numberField, section, segments, select, textField, vectorField } from "../ui/controls";
import { h } from "../ui/h";
import type { Vec3 } from "../wire/types";
import { jointsOf } from "./card";
import { tieSection } from "./ties";

const vector = (x = 0, y = 0, z = 0) => [signal(x), signal(y), signal(z)] as [ReturnType<typeof signal<number>>, ReturnType<typeof signal<number>>, ReturnType<typeof signal<number>>];
const read = (values: ReturnType<typeof vector>): Vec3 => [values[0].peek(), values[1].peek(), values[2].peek()];
const write = (values: ReturnType<typeof vector>, to: Vec3) => values.forEach((value, index) => value.set(to[index]!));

const none = () => state.selection().size === 0;
const notOne = () => state.selection().size !== 1;
const chosen = () => {
  const index = [...state.selection()][0];
  return index === undefined ? null : (state.model()?.blocks[index] ?? null);
};
const chosenName = () => untracked(chosen)?.name ?? "";

function selectionSection(): HTMLElement {
  const title = h("p", { class: "selection-title", testid: "selection-title" });
  const nameField = textField("Name", () => chosen()?.name ?? "", (name) => {
    if (name && name !== chosenName()) void rename(chosenName(), name);
  }, "rename");
  effect(() => {
    const count = state.selection().size;
    title.textContent = count === 0 ? "Click a block in the view or in the list." : count === 1 ? "" : plural(count, "block");
    title.hidden = count === 1;
    nameField.hidden = count !== 1;
  });
  const table = facts(() => {
    const blocks = [...state.selection()].flatMap((index) => state.model()?.blocks[index] ?? []);
    if (!blocks.length) return wholeModel();
    const rows: [string, string][] = [["Mass", mass(sumOfMasses(blocks))]];
    if (blocks.length === 1) {
      const block = blocks[0]!;
      rows.push(["Size", together("length", block.size, " × ")]);
      rows.push(["Centre", place(block.center)]);
      if (block.group) rows.push(["Group", block.group]);
    }
    rows.push(["Joints", String(jointsOf(state.selection(), state.geometry()?.joint_blocks ?? []))]);
    return rows;
  });
  return section(
    "Selection",
    title,
    nameField,
    table,
    h(
      "div",
      { class: "button-row" },
      button({ label: "Fix", disabled: none, testid: "fix", onclick: () => void edit({ do: "fix", blocks: state.selectedNames(), fixed: true }) }),
      button({ label: "Free", disabled: none, testid: "free", onclick: () => void edit({ do: "fix", blocks: state.selectedNames(), fixed: false }) }),
      fixLowestButton(),
      button({ label: "Duplicate", disabled: none, testid: "duplicate", onclick: () => void duplicate(beside()) }),
      button({ label: "Delete", kind: "danger", disabled: none, testid: "delete", onclick: () => void remove() }),
    ),
  );
}

/** Where nothing carries the structure, what most often does is one click away. */
function fixLowestButton(): HTMLElement {
  const fix = button({ label: "Fix the lowest", kind: "primary", title: "Fix the blocks that stand lowest", testid: "fix-lowest", onclick: () => void fixLowest() });
  effect(() => void (fix.hidden = state.model()?.blocks.some(supportsNow()) ?? true));
  return fix;
}

/** Towards the eye of the front view, clear of what is copied. */
function beside(): Vec3 {
  const blocks = state.model.peek()?.blocks ?? [];
  return [0, -1.25 * Math.max(...[...state.selection.peek()].map((index) => blocks[index]?.size[1] ?? 0)), 0];
}

function wholeModel(): [string, string][] {
  const model = state.model();
  if (!model) return [];
  return [
    ["Size", together("length", model.bounds.most.map((most, k) => most - model.bounds.least[k]!), " × ")],
    ["Mass", mass(freeMass())],
    ["Joints", String(model.joints)],
  ];
}

/** The handle that is there: that of the plane needs one block, and comes to it where it was elsewhere. */
const handle: Signal<state.GizmoMode> = Object.assign(() => (state.gizmo() === "plane" && notOne() ? "none" : state.gizmo()), {
  peek: () => state.gizmo.peek(),
  update: (change: (mode: state.GizmoMode) => state.GizmoMode) => handle.set(change(state.gizmo.peek())),
  set: (mode: state.GizmoMode) => {
    const block = untracked(chosen);
    const { point, normal } = state.cutPlane.peek();
    const within = block?.center.every((center, k) => Math.abs(point[k]! - center) <= block.size[k]! / 2 + 1e-9);
    if (mode === "plane" && !within) state.cutPlane.set({ point: middle(), normal });
    state.gizmo.set(mode);
  },
});

function placeSection(): HTMLElement {
  const by = vector();
  const angle = signal(5);
  const axis = signal<"x" | "y" | "z">("z");
  return section(
    "Place",
    segments(
      "Handle in the view",
      [
        { value: "none", label: "Select" },
        { value: "move", label: "Move" },
        { value: "rotate", label: "Rotate" },
        { value: "plane", label: "Plane", title: "The plane that cuts one block", disabled: notOne },
      ],
      handle,
      "gizmo",
    ),
    vectorField("Move by", "m", by, "move", button({ label: "Move", disabled: none, testid: "move", onclick: () => void move(read(by)) })),
    h(
      "div",
      { class: "inline spread" },
      numberField({ label: "Rotate by", unit: "°", value: angle, compact: true, testid: "rotate-angle" }),
      segments("Rotation axis", [{ value: "x", label: "x" }, { value: "y", label: "y" }, { value: "z", label: "z" }], axis, "rotate-axis"),
      button({ label: "Rotate", disabled: none, testid: "rotate", onclick: () => void rotate(state.AXES[axis.peek()], angle.peek()) }),
    ),
  );
}

function cutSection(): HTMLElement {
  const point = vector();
  const normal = vector(0, 0, 1);
  // Handle and fields hold one plane: what either changes shows in both.
  effect(() => {
    const plane = state.cutPlane();
    untracked(() => {
      write(point, plane.point);
      write(normal, plane.normal);
    });
  });
  effect(() => {
    const plane = { point: point.map((each) => each()) as Vec3, normal: normal.map((each) => each()) as Vec3 };
    untracked(() => {
      if (JSON.stringify(plane) !== JSON.stringify(state.cutPlane.peek())) state.cutPlane.set(plane);
    });
  });
  const place = (axis: Vec3) => {
    state.cutPlane.set({ point: middle(), normal: axis });
    state.gizmo.set("plane");
  };
  const apply = async (what: "cut" | "trim") => {
    if (await edit({ do: what, block: chosenName(), point: read(point), normal: read(normal) })) state.gizmo.set("none");
  };
  return section(
    "Cut",
    h(
      "div",
      { class: "button-row" },
      ...(["x", "y", "z"] as const).map((axis) =>
        button({ label: `⟂ ${axis}`, title: `Plane across ${axis} through the middle of the block`, disabled: notOne, testid: `plane-${axis}`, onclick: () => place(state.AXES[axis]) }),
      ),
      button({
        label: "Picked face", disabled: () => state.picked() === null || notOne(), testid: "plane-face",
        onclick: () => {
          const picked = state.picked.peek();
          if (!picked) return;
          state.cutPlane.set({ point: picked.point, normal: picked.normal });
          state.gizmo.set("plane");
        },
      }),
    ),
    checkbox("Handle turns the plane", state.planeTurns, "plane-turns"),
    vectorField("Through", "m", point, "cut-point"),
    vectorField("Normal", "", normal, "cut-normal"),
    h(
      "div",
      { class: "button-row" },
      button({ label: "Cut in two", disabled: notOne, testid: "cut", onclick: () => void apply("cut") }),
      button({ label: "Trim away", disabled: notOne, testid: "trim", title: "What is on the normal's side goes", onclick: () => void apply("trim") }),
    ),
  );
}

function shapeSection(): HTMLElement {
  const by = signal(0.05);
  const vertexBy = vector();
  const vertex = signal("0");
  const text = h("p", { class: "hint" });
  const vertices = () => {
    // All corners are gone through: not for every click while something else is looked at.
    if (state.tab() !== "edit") return [];
    const geometry = state.geometry();
    const index = [...state.selection()][0];
    return geometry && index !== undefined && state.selection().size === 1 ? [...verticesOf(geometry, index)].sort(([a], [b]) => a - b) : [];
  };
  effect(() => {
    const picked = state.picked();
    text.textContent = picked && !notOne() ? `Face ${picked.face} of ${chosen()?.name ?? ""} is picked.` : "Click a face of one block to pick it.";
  });
  const vertexFields = h(
    "div",
    {},
    select(
      "Vertex",
      () => vertices().map(([number, at]) => ({ value: String(number), label: `${number} at ${place(at)}` })),
      () => vertex(),
      (value) => vertex.set(value),
      "vertex",
    ),
    vectorField(
      "Move by", "m", vertexBy, "vertex-by",
      button({ label: "Move vertex", disabled: notOne, testid: "move-vertex", onclick: () => void edit({ do: "vertex", block: chosenName(), vertex: Number(vertex.peek()), by: read(vertexBy) }) }),
    ),
  );
  effect(() => {
    const numbers = vertices().map(([number]) => String(number));
    vertexFields.hidden = numbers.length === 0;
    if (numbers.length && !numbers.includes(vertex.peek())) vertex.set(numbers[0]!);
  });
  return section(
    "Shape",
    text,
    h(
      "div",
      { class: "inline" },
      numberField({ label: "Face out by", unit: "m", value: by, compact: true, testid: "face-by" }),
      button({
        label: "Move face", disabled: () => state.picked() === null || notOne(), testid: "move-face",
        onclick: () => {
          const picked = state.picked.peek();
          const name = picked && state.model.peek()?.blocks[picked.block]?.name;
          if (picked && name) void edit({ do: "face", block: name, face: picked.face, by: by.peek() });
        },
      }),
    ),
    vertexFields,
  );
}

function materialSection(): HTMLElement {
  const value = signal(0.6);
  const density = signal(2000);
  const distance = signal(0);
  const angle = signal(0.1);
  effect(() => {
    const model = state.model();
    distance.set(1000 * (model?.joint_search?.distance ?? 0));
    angle.set(model?.joint_search?.angle_deg ?? 0.1);
    if (model?.friction != null) value.set(model.friction);
    if (model?.density != null) density.set(model.density);
  });
  const laws = h("p", { class: "hint", testid: "joint-laws" });
  effect(() => void (laws.textContent = `Joint laws: ${state.model()?.joint_laws ?? "none"}`));
  const pair = () => {
    const names = state.selectedNames();
    return names.length === 2 ? (names as [string, string]) : null;
  };
  return section(
    "Friction, density and joints",
    h(
      "div",
      { class: "inline" },
      numberField({ label: "Friction", unit: "µ", value, least: 0, compact: true, testid: "edit-friction" }),
      button({ label: "All", title: "All joints", testid: "friction-all", onclick: () => void edit({ do: "friction", value: value.peek(), between: null }) }),
      button({
        label: "Between two", title: "The joint between the two selected blocks", disabled: () => pair() === null, testid: "friction-pair",
        onclick: () => {
          const between = untracked(pair);
          if (between) void edit({ do: "friction", value: value.peek(), between });
        },
      }),
    ),
    laws,
    h(
      "div",
      { class: "inline" },
      numberField({ label: "Density", unit: "kg/m³", value: density, least: 1, compact: true, testid: "edit-density" }),
      button({ label: "All", testid: "density-all", onclick: () => void edit({ do: "density", value: density.peek(), blocks: null }) }),
      button({ label: "Selection", disabled: none, testid: "density-selection", onclick: () => void edit({ do: "density", value: density.peek(), blocks: state.selectedNames() }) }),
    ),
    h(
      "div",
      { class: "inline" },
      numberField({ label: "Joined up to", unit: "mm", value: distance, least: 0, compact: true, testid: "joint-distance" }),
      numberField({ label: "and", unit: "°", value: angle, least: 0, compact: true, testid: "joint-angle" }),
      button({
        label: "Find joints", title: "Faces that are no farther apart are joined; 0 mm: by the precision of the coordinates", testid: "find-joints",
        onclick: () => {
          const automatic = distance.peek() <= 0;
          void edit({ do: "joints", distance: automatic ? null : distance.peek() / 1000, angle_deg: automatic ? null : angle.peek() });
        },
      }),
    ),
  );
}

function loadSection(): HTMLElement {
  const name = signal("load");
  const force = vector(0, 0, -1000);
  const list = h("div", { class: "chips" });
  effect(() => {
    list.replaceChildren(
      ...(state.model()?.loads ?? []).map((each) =>
        h("span", { class: "chip" }, each, button({ label: `Remove load ${each}`, icon: "close", iconOnly: true, kind: "quiet", onclick: () => void edit({ do: "unload", case: each }) })),
      ),
    );
  });
  return section(
    "Loads",
    list,
    textField("Load case", () => name(), (text) => name.set(text || "load"), "load-case"),
    vectorField("Force", "N", force, "load-force"),
    h("p", { class: "hint" }, "Acts where the block was last clicked, else at its centre."),
    h(
      "div",
      { class: "button-row" },
      button({
        label: "Add load", disabled: notOne, testid: "add-load",
        onclick: async () => {
          const picked = state.picked.peek();
          const index = [...state.selection.peek()][0];
          const at = picked && picked.block === index ? picked.point : middle();
          const added = name.peek();
          // Of what acts in the question, nobody wants to add a load in vain.
          if (await edit({ do: "load", case: added, block: chosenName(), at, force: read(force) }))
            state.loadFactors.update((factors) => new Map(factors).set(added, 1));
        },
      }),
    ),
  );
}

export function editPanel(): HTMLElement {
  return h("div", { class: "panel-body" }, selectionSection(), placeSection(), cutSection(), shapeSection(), materialSection(), loadSection(), tieSection());
}
