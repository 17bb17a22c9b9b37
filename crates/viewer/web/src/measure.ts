/** Lengths in the view: how large it is, and what lies between two points that were clicked. */

import * as state from "./state";
import { effect, signal, untracked } from "./store";
import type { Vec3 } from "./wire/types";

/** Whether length, depth and height are drawn. */
export const dimensions = signal(false);

export const measuring = signal(false);
/** None, one or two points, in the model's frame. */
export const measured = signal<readonly Vec3[]>([]);

/** A third point begins anew. */
export const measureTo = (point: Vec3): void => measured.update((points) => (points.length === 2 ? [point] : [...points, point]));

// What was measured is gone with the shapes, and points on blocks that move would stay behind.
effect(() => {
  state.geometry();
  state.atRest();
  const on = measuring();
  untracked(() => {
    if (measured.peek().length) measured.set([]);
    if (on && !state.atRest()) measuring.set(false);
  });
});
