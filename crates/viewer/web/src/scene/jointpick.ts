/** Which joint lies under the pointer: the seam on a block's surface, or a joint that is seen through the stone. */

import { type Plane, Vector3 } from "three";
import { carried } from "../numbers";
import type { Picked } from "../state";
import type { Geometry, Model, Vec3 } from "../wire/types";
import { add, dot, norm, scale, sub } from "./geometry";

type Joints = Pick<Geometry, "joint_corners" | "joint_start" | "joint_blocks">;

/** Joints by block, found once for a geometry. */
export class JointIndex {
  private readonly start: Uint32Array;
  private readonly joints: Uint32Array;

  constructor(
    readonly source: Joints,
    blocks: number,
  ) {
    const pairs = source.joint_blocks;
    this.start = new Uint32Array(blocks + 1);
    for (const block of pairs) this.start[block + 1]!++;
    for (let block = 0; block < blocks; block++) this.start[block + 1]! += this.start[block]!;
    const next = this.start.slice();
    this.joints = new Uint32Array(pairs.length);
    pairs.forEach((block, at) => void (this.joints[next[block]!++] = at >> 1));
  }

  of(block: number): Uint32Array {
    return this.joints.subarray(this.start[block]!, this.start[block + 1]!);
  }
}

/** Distance of a point to a piece of a line. */
export function distanceTo(point: Vec3, a: Vec3, b: Vec3): number {
  const way = sub(b, a);
  const square = dot(way, way);
  const part = square === 0 ? 0 : Math.min(Math.max(dot(sub(point, a), way) / square, 0), 1);
  return norm(sub(point, add(a, scale(way, part))));
}

/** The joint of the block that was met whose outline lies within `reach` (m) of where it was met; the nearest of them. */
export function seamAt(index: JointIndex, model: Model, hit: Picked, pose: ArrayLike<number>, reach: number): number | null {
  const { joint_corners, joint_start } = index.source;
  const { center } = model.blocks[hit.block]!;
  const stands = { at: [pose[0]!, pose[1]!, pose[2]!] as Vec3, turn: [pose[4]!, pose[5]!, pose[6]!, pose[7]!] as [number, number, number, number] };
  let best: { joint: number; distance: number } | null = null;
  for (const joint of index.of(hit.block)) {
    const corners: Vec3[] = [];
    for (let corner = joint_start[joint]!; corner < joint_start[joint + 1]!; corner++)
      corners.push(carried([joint_corners[3 * corner]!, joint_corners[3 * corner + 1]!, joint_corners[3 * corner + 2]!], center, stands));
    corners.forEach((corner, k) => {
      const distance = distanceTo(hit.point, corner, corners[(k + 1) % corners.length]!);
      if (distance <= reach && (!best || distance < best.distance)) best = { joint, distance };
    });
  }
  return (best as { joint: number } | null)?.joint ?? null;
}

/** The first joint that a ray passes through; what lies behind a plane is cut away. */
export function jointThrough(corners: Float32Array, start: Uint32Array, isShown: (joint: number) => boolean, origin: Vector3, way: Vector3, planes: readonly Plane[]): number | null {
  const [a, b, c, at] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  const [u, v, n] = [new Vector3(), new Vector3(), new Vector3()];
  let best: { joint: number; along: number } | null = null;
  for (let joint = 0; joint + 1 < start.length; joint++) {
    if (!isShown(joint)) continue;
    a.fromArray(corners, 3 * start[joint]!);
    for (let corner = start[joint]! + 1; corner + 1 < start[joint + 1]!; corner++) {
      b.fromArray(corners, 3 * corner);
      c.fromArray(corners, 3 * corner + 3);
      n.crossVectors(u.subVectors(b, a), v.subVectors(c, a));
      const facing = n.dot(way);
      if (facing === 0) continue;
      const along = n.dot(at.subVectors(a, origin)) / facing;
      if (along < 0 || (best && along >= best.along)) continue;
      at.copy(origin).addScaledVector(way, along);
      if (!within(at, a, b, c, n) || planes.some((plane) => plane.distanceToPoint(at) < 0)) continue;
      best = { joint, along };
    }
  }
  return best?.joint ?? null;
}

const [edge, arm] = [new Vector3(), new Vector3()];
const within = (p: Vector3, a: Vector3, b: Vector3, c: Vector3, n: Vector3) =>
  ([[a, b], [b, c], [c, a]] as const).every(([from, to]) => edge.subVectors(to, from).cross(arm.subVectors(p, from)).dot(n) >= -1e-9 * n.lengthSq());
