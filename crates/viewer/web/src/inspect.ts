/** What is looked at closely: the joint that was picked, and what lies under the pointer. */

import * as state from "./state";
import { batch, signal } from "./store";
import type { Geometry } from "./wire/types";

export interface Spot {
  kind: "block" | "joint";
  index: number;
}

/** Under the pointer, which is at (x, y) in the view; a row of a table has no place there. */
export const hovered = signal<(Spot & { at: [number, number] | null }) | null>(null);

/** With what it was picked from: a joint of another model, or before another selection, is no longer picked. */
const picked = signal<{ joint: number; geometry: Geometry; selection: ReadonlySet<number> } | null>(null);

export const pickedJoint = (): number | null => {
  const [now, geometry, selection] = [picked(), state.geometry(), state.selection()];
  return now && now.geometry === geometry && now.selection === selection ? now.joint : null;
};

/** Picks a joint, and selects the two blocks that it lies between. */
export function pickJoint(joint: number): void {
  const geometry = state.geometry.peek();
  if (!geometry || joint + 1 >= geometry.joint_start.length) return;
  const selection = new Set([geometry.joint_blocks[2 * joint]!, geometry.joint_blocks[2 * joint + 1]!]);
  batch(() => {
    state.picked.set(null);
    state.selection.set(selection);
    picked.set({ joint, geometry, selection });
  });
}
