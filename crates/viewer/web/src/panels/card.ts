/** What was picked, in numbers, over the view: a block, a joint, or how much is selected. */

import { force, length, mass, percent, place, plural, pressure, sentence, shown, together } from "../format";
import { pickJoint, pickedJoint } from "../inspect";
import { type JointNumbers, displacementOf, forceOn, jointReader, jointsAt, massOf, sumOfMasses, supportsNow } from "../numbers";
import { preference } from "../persist";
import { add, norm } from "../scene/geometry";
import * as state from "../state";
import { effect, signal } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import type { Block, Vec3 } from "../wire/types";

type Rows = [string, string][];

/** Joints of a block listed one by one before the rest is only counted. */
const MOST_JOINTS = 12;

/** Where the view is so small that the numbers would hide what they are about, they are shown when asked for. */
const SMALL = "(max-width: 1100px)";

/** Joints that any of the selected blocks has. */
export function jointsOf(selection: ReadonlySet<number>, pairs: ArrayLike<number>): number {
  let count = 0;
  for (let joint = 0; 2 * joint < pairs.length; joint++)
    if (selection.has(pairs[2 * joint]!) || selection.has(pairs[2 * joint + 1]!)) count++;
  return count;
}

/** Why no forces are shown, where none are. */
export function whyNoForces(): string | null {
  const check = state.check();
  if (!state.atRest()) return "Forces are those of the check: leave the run or the path to see them.";
  if (!check) return state.checkError() ? "No forces: the check gave no verdict." : "Checking…";
  return check.arrays.points.length ? null : "No forces balance the loads: it falls.";
}

/** The acceleration that acts on all blocks in the question: as large under a tilt. */
const weightOf = (block: Block) => massOf(block) * norm(state.model()?.gravity ?? [0, 0, 0]);

export function blockRows(index: number, block: Block): Rows {
  const moved = displacementOf(index);
  const rows: Rows = [
    ["Mass", mass(massOf(block))],
    ["Weight", force(weightOf(block))],
    ["Volume", shown("volume", block.volume_m3)],
    ["Size", together("length", block.size, " × ")],
    ["Centre", place(block.center)],
  ];
  if (moved !== null) rows.splice(2, 0, ["Displacement", length(moved)]);
  if (block.group) rows.push(["Group", block.group]);
  if (block.material) rows.push(["Material", block.material]);
  return rows;
}

export function jointRows(numbers: JointNumbers): Rows {
  const rows: Rows = [];
  if (numbers.state) rows.push(["State", sentence(numbers.state)]);
  if (numbers.normal_n !== null) rows.push([numbers.normal_n < 0 ? "Normal force (tension)" : "Normal force", force(Math.abs(numbers.normal_n))], ["Shear", force(numbers.shear_n)]);
  if (numbers.tension_n) rows.push(["Tension at points", force(numbers.tension_n)]);
  if (numbers.normal_n !== null) rows.push(["Friction in use", numbers.use === null ? "–" : percent(numbers.use)]);
  if (numbers.friction !== null) rows.push(["Friction coefficient", String(Number(numbers.friction.toPrecision(4)))]);
  if (numbers.pressure_pa) rows.push(["Largest pressure", pressure(numbers.pressure_pa)]);
  rows.push(["Area", shown("area", numbers.area_m2)]);
  if (numbers.opening_m !== null) rows.push(["Opening", length(numbers.opening_m)], ["Slip", length(numbers.slip_m)]);
  return rows;
}

const list = (rows: Rows) => h("dl", { class: "facts" }, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

/** The forces of its joints on a block, each a way to that joint. */
function forcesOf(index: number): HTMLElement[] {
  const [model, geometry, read] = [state.model(), state.geometry(), jointReader()];
  if (!model || !geometry || !read) return [];
  const joints = jointsAt(index, geometry.joint_blocks);
  const known = joints.map(read).filter(({ normal_n }) => normal_n !== null);
  const why = whyNoForces();
  const told = (known.length ? known : joints.map(read)).sort((a, b) => Math.abs(b.normal_n ?? 0) - Math.abs(a.normal_n ?? 0));
  const row = (each: JointNumbers) => {
    const other = model.blocks[each.blocks[0] === index ? each.blocks[1] : each.blocks[0]]!.name;
    const use = each.use === null ? "–" : percent(each.use);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("button", { type: "button", class: "link", title: `Joint ${each.joint}`, testid: `card-joint-${each.joint}`, onclick: () => pickJoint(each.joint) }, other)),
      ...(known.length ? [force(each.normal_n), force(each.shear_n), use] : [shown("area", each.area_m2)]).map((text) => h("td", {}, text)),
    );
  };
  const sum = joints.flatMap((joint) => [forceOn(index, joint) ?? ([0, 0, 0] as Vec3)]).reduce<Vec3>(add, [0, 0, 0]);
  const heads = known.length ? ["Joint with", "Normal", "Shear", "Friction"] : ["Joint with", "Area"];
  return [
    h("table", { class: "card-joints" }, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, told.slice(0, MOST_JOINTS).map(row))),
    ...(told.length > MOST_JOINTS ? [h("p", { class: "hint" }, `and ${told.length - MOST_JOINTS} more, in the table of joints.`)] : []),
    ...(known.length ? [list([["All joints together", force(norm(sum))]])] : []),
    ...(why && joints.length ? [h("p", { class: "hint" }, why)] : []),
  ];
}

function blockCard(index: number): [string, string, HTMLElement[]] {
  const block = state.model()!.blocks[index]!;
  return [block.name, supportsNow()(block) ? "support" : mass(massOf(block)), [list(blockRows(index, block)), ...forcesOf(index)]];
}

function jointCard(joint: number): [string, string, HTMLElement[]] {
  const [model, numbers] = [state.model()!, jointReader()!(joint)];
  const names = numbers.blocks.map((block) => model.blocks[block]!);
  const to = (k: 0 | 1) => h("button", { type: "button", class: "link", testid: `card-block-${k}`, onclick: () => state.selection.set(new Set([numbers.blocks[k]])) }, names[k]!.name);
  const why = numbers.normal_n === null && names.every(supportsNow()) ? "Between two supports: nothing is asked of it." : whyNoForces();
  return [`Joint ${joint}`, "", [h("p", {}, to(0), " – ", to(1)), list(jointRows(numbers)), ...(why ? [h("p", { class: "hint" }, why)] : [])]];
}

function several(selection: ReadonlySet<number>): [string, string, HTMLElement[]] {
  const blocks = [...selection].flatMap((index) => state.model()?.blocks[index] ?? []);
  return [plural(blocks.length, "block"), mass(sumOfMasses(blocks)), [list([["Joints", String(jointsOf(selection, state.geometry()?.joint_blocks ?? []))]])]];
}

export function pickedCard(): HTMLElement {
  const chosen = preference.get("card");
  const open = signal(chosen ? chosen === "open" : !matchMedia(SMALL).matches);
  const name = h("strong", {});
  const remark = h("span", { class: "card-remark" });
  const body = h("div", { class: "card-body", id: "picked-body", testid: "card-body" });
  const fold = button({
    label: "Show or hide the numbers", icon: "down", pressedIcon: "up", iconOnly: true, kind: "quiet", testid: "card-fold", pressed: () => open(),
    onclick: () => {
      open.update((on) => !on);
      preference.set("card", open.peek() ? "open" : "closed");
    },
  });
  const card = h("aside", { class: "picked-card", "aria-label": "What is selected", testid: "card" }, h("div", { class: "card-head" }, name, remark, fold), body);
  effect(() => {
    const [selection, joint, model] = [state.selection(), pickedJoint(), state.model()];
    card.hidden = selection.size === 0 || !model;
    if (card.hidden) return;
    const chosen = [...selection].filter((index) => index < model!.blocks.length);
    const [title, more, content] = joint !== null ? jointCard(joint) : chosen.length === 1 ? blockCard(chosen[0]!) : several(selection);
    name.textContent = title;
    remark.textContent = more;
    body.hidden = !open();
    body.replaceChildren(...content);
  });
  return card;
}
