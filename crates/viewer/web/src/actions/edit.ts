/** Changes of the model: each is one step of the server's history. */

import { withSupports, withoutSupports } from "../question";
import * as state from "../state";
import { batch } from "../store";
import type { Edit, Vec3 } from "../wire/types";
import { askModel, offerFixes, say } from "./server";

/** Feet that differ by less, as a part of the block's size, are as low as each other: coordinates come in single precision. */
const FLAT = 1e-5;

export async function edit(change: Edit): Promise<boolean> {
  const before = { names: new Set(state.model.peek()?.blocks.map((block) => block.name)), supports: state.supports.peek(), only: state.only.peek() };
  // Colours and counts do not wait for the model: until it has come, the question has the change.
  if (change.do === "fix") state.supports.update((now) => withSupports(state.model.peek()?.blocks ?? [], now, change.blocks, change.fixed));
  try {
    const { model } = await askModel("edit", { ...change });
    // The last word about a support counts.
    if (change.do === "fix") state.supports.update((now) => withoutSupports(now, change.blocks));
    else if (change.do === "rename" || change.do === "cut") {
      // What a block becomes is asked about as the block was.
      const heirs = model.blocks.map((block) => block.name).filter((name) => !before.names.has(name));
      const { held, released } = before.supports;
      batch(() => {
        if (held.includes(change.block)) state.supports.update((now) => ({ ...now, held: [...now.held, ...heirs] }));
        if (released.includes(change.block)) state.supports.update((now) => ({ ...now, released: [...now.released, ...heirs] }));
        if (before.only?.includes(change.block)) state.only.update((now) => [...(now ?? []), ...heirs]);
      });
    }
    return true;
  } catch (error) {
    if (change.do === "fix") state.supports.set(before.supports);
    say(error);
    return false;
  }
}

/** Fixes the blocks that begin as low as the lowest, as far as coordinates tell. */
export async function fixLowest(): Promise<void> {
  const [model, geometry] = [state.model.peek(), state.geometry.peek()];
  if (!model || !geometry) return;
  const feet = new Float64Array(model.blocks.length).fill(Infinity);
  geometry.block.forEach((block, corner) => void (feet[block] = Math.min(feet[block]!, geometry.positions[3 * corner + 2]! + model.blocks[block]!.center[2])));
  const lowest = feet.reduce((least, foot) => Math.min(least, foot), Infinity);
  const blocks = model.blocks.flatMap(({ name, size }, block) => (feet[block]! - lowest <= FLAT * Math.hypot(...size) + (model.joint_search?.distance ?? 0) ? [name] : []));
  await edit({ do: "fix", blocks, fixed: true });
}

offerFixes(() => ({ label: "Fix the lowest", run: () => void fixLowest() }));

async function history(what: "undo" | "redo"): Promise<void> {
  const model = state.model.peek();
  if (!model || model[what] === 0) return;
  try {
    await askModel(what, {});
  } catch (error) {
    say(error);
  }
}

export const undo = () => history("undo");
export const redo = () => history("redo");

export const move = (by: Vec3) => edit({ do: "move", blocks: state.selectedNames(), by });

/** About the middle of what is selected. */
export const rotate = (axis: Vec3, angle_deg: number, about: Vec3 = middle()) =>
  edit({ do: "rotate", blocks: state.selectedNames(), about, axis, angle_deg });

export async function remove(): Promise<void> {
  const blocks = state.selectedNames();
  if (blocks.length) await edit({ do: "delete", blocks });
}

export async function rename(block: string, name: string): Promise<void> {
  if (!(await edit({ do: "rename", block, name }))) return;
  const index = state.model.peek()?.blocks.findIndex((each) => each.name === name) ?? -1;
  if (index >= 0) state.selection.set(new Set([index]));
}

export async function duplicate(by: Vec3): Promise<void> {
  const blocks = state.selectedNames();
  const before = new Set(state.model.peek()?.blocks.map((block) => block.name));
  if (!blocks.length || !(await edit({ do: "duplicate", blocks, by }))) return;
  const after = state.model.peek()?.blocks ?? [];
  state.selection.set(new Set(after.flatMap((block, index) => (before.has(block.name) ? [] : [index]))));
}

/** The middle of the selected blocks' centres, by volume. */
export function middle(): Vec3 {
  const blocks = state.model.peek()?.blocks ?? [];
  const sum: Vec3 = [0, 0, 0];
  let volume = 0;
  for (const index of state.selection.peek()) {
    const block = blocks[index];
    if (!block) continue;
    volume += block.volume_m3;
    for (let k = 0; k < 3; k++) sum[k]! += block.center[k]! * block.volume_m3;
  }
  return volume > 0 ? [sum[0] / volume, sum[1] / volume, sum[2] / volume] : [0, 0, 0];
}
