/** Blocks where a slow loading has them, and the cracks of their joints. */

import type { Equilibrium, Geometry, Model, Vec3 } from "../wire/types";
import { add, norm, quaternionOf, sub, turned } from "./geometry";

/** Where blocks that are not there are put: far out of sight. */
const AWAY = -1e7;
/** Widths of lines of cracks in pixels, the narrowest first: a line has the width of its share of the largest. */
export const WIDTHS = [1.6, 3, 4.5, 6.5] as const;

type Quaternion = [number, number, number, number];

const product = ([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion => [
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
  aw * bw - ax * bx - ay * by - az * bz,
];

/** Six numbers of a block, times a factor: a displacement and a rotation. */
function motionOf(all: ArrayLike<number>, block: number, by: number): [Vec3, Quaternion] {
  const k = 6 * block;
  const turn: Vec3 = [all[k + 3]! * by, all[k + 4]! * by, all[k + 5]! * by];
  return [[all[k]! * by, all[k + 1]! * by, all[k + 2]! * by], quaternionOf(turn, norm(turn))];
}

/** Position and rotation of a block on a path: displacements `magnify` times, then `swing` times a motion that follows. */
export function poseOnPath(center: Vec3, block: number, point: Equilibrium | null, magnify: number, motion: Float32Array | null, swing: number): [Vec3, Quaternion] {
  if (point?.absent[block]) return [[center[0], center[1], AWAY], [0, 0, 0, 1]];
  const [moved, rotation]: [Vec3, Quaternion] = point ? motionOf(point.moved, block, magnify) : [[0, 0, 0], [0, 0, 0, 1]];
  const at = add(center, moved);
  if (!motion || swing === 0) return [at, rotation];
  const [further, turn] = motionOf(motion, block, swing);
  return [add(at, further), product(turn, rotation)];
}

export interface CrackLines {
  what: "opening" | "slip";
  width: number;
  /** Six numbers a line. */
  pairs: number[];
}

/**
 * Outlines of joints that have opened or slipped by more than `from`, on their first blocks where these are now: each in the
 * colour of what is larger, and the wider the larger that is.
 */
export function crackLines(model: Model, geometry: Geometry, point: Equilibrium, from: number, pose: (block: number) => ArrayLike<number>): CrackLines[] {
  const most = Math.max(point.max_opening_m, point.max_slip_m);
  const all: CrackLines[] = (["slip", "opening"] as const).flatMap((what) => WIDTHS.map((width) => ({ what, width, pairs: [] })));
  const { joint_corners, joint_start, joint_blocks } = geometry;
  for (let joint = 0; joint + 1 < joint_start.length; joint++) {
    const [slip, opening] = [point.slip[joint]!, point.opening[joint]!];
    const size = Math.max(slip, opening);
    if (size <= from) continue;
    const block = joint_blocks[2 * joint]!;
    const now = pose(block);
    const { center } = model.blocks[block]!;
    const corners: Vec3[] = [];
    for (let corner = joint_start[joint]!; corner < joint_start[joint + 1]!; corner++) {
      const at: Vec3 = [joint_corners[3 * corner]!, joint_corners[3 * corner + 1]!, joint_corners[3 * corner + 2]!];
      corners.push(add([now[0]!, now[1]!, now[2]!], turned([now[4]!, now[5]!, now[6]!, now[7]!], sub(at, center))));
    }
    const bin = Math.min(Math.floor((size / most) * WIDTHS.length), WIDTHS.length - 1);
    const { pairs } = all[(opening >= slip ? WIDTHS.length : 0) + bin]!;
    corners.forEach((corner, k) => pairs.push(...corner, ...corners[(k + 1) % corners.length]!));
  }
  return all.filter(({ pairs }) => pairs.length);
}
