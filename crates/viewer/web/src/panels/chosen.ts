/** What is selected, in one line over the view. */

import { mass, plural } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { h } from "../ui/h";

/** Joints that any of the selected blocks has. */
export function jointsOf(selection: ReadonlySet<number>, pairs: ArrayLike<number>): number {
  let count = 0;
  for (let joint = 0; 2 * joint < pairs.length; joint++)
    if (selection.has(pairs[2 * joint]!) || selection.has(pairs[2 * joint + 1]!)) count++;
  return count;
}

export function chosenChip(): HTMLElement {
  const chip = h("div", { class: "chosen", testid: "chosen" });
  effect(() => {
    const selection = state.selection();
    const blocks = [...selection].flatMap((index) => state.model()?.blocks[index] ?? []);
    chip.hidden = blocks.length === 0;
    const name = blocks.length === 1 ? blocks[0]!.name : plural(blocks.length, "block");
    const total = blocks.reduce((sum, block) => sum + block.mass_kg, 0);
    const joints = jointsOf(selection, state.geometry()?.joint_blocks ?? []);
    chip.replaceChildren(h("strong", {}, name), ` · ${mass(total)} · ${plural(joints, "joint")}`);
  });
  return chip;
}
