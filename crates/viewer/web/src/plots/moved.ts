/** How blocks move in a run: components of displacement, against the ground and of the ground itself. */

import { frameAt } from "../frames";
import type { Run } from "../state";
import type { Frame } from "../wire/types";

export type Component = "x" | "y" | "z" | "size";

const INDEX = { x: 0, y: 1, z: 2 } as const;

/** A component of how far a block has moved against the ground since the start, or its size. */
export function moved(now: Frame, start: Frame, block: number, component: Component): number {
  const along = (k: number) => now.poses[7 * block + k]! - start.poses[7 * block + k]! - (now.ground[k]! - start.ground[k]!);
  return component === "size" ? Math.hypot(along(0), along(1), along(2)) : along(INDEX[component]);
}

/** The same of the ground. */
export function groundMoved(now: Frame, start: Frame, component: Component): number {
  const along = (k: number) => now.ground[k]! - start.ground[k]!;
  return component === "size" ? Math.hypot(along(0), along(1), along(2)) : along(INDEX[component]);
}

/** The free block that has moved farthest at the end of what is looked at: up to a collapse, or to the last frame. */
export function farthest(run: Run, isFree: (block: number) => boolean, blocks: number): number {
  const { frames, end } = run;
  const start = frames[0];
  if (!start) return 0;
  const last = end?.collapse_time_s ? frames[frameAt(frames, end.collapse_time_s)]! : frames.at(-1)!;
  let [most, found] = [-1, 0];
  for (let block = 0; block < blocks; block++) {
    if (!isFree(block)) continue;
    const far = moved(last, start, block, "size");
    if (far > most) [most, found] = [far, block];
  }
  return found;
}
