/** What joints do in a mechanism: where they turn, open and slide. */

import { cornersOf } from "../numbers";
import type { Geometry, Model, Vec3 } from "../wire/types";
import { add, cross, dot, norm, scale, sub } from "./geometry";

/** Speed, over that of the fastest corner of a joint, below which corners do not part. */
const STILL = 1e-4;
/** What friction may fall short of opening a joint as it slides. */
const DILATES = 1.01;

export interface MechanismJoint {
  joint: number;
  turns: boolean;
  slides: boolean;
  opens: boolean;
  /** The axis it turns about: the outermost corners that stay together. */
  hinge: Vec3[];
}

export interface MechanismCount {
  hinges: number;
  slides: number;
  opens: number;
}

/** Joints that move in a motion of six numbers a block. `friction` by joint: associated friction opens a joint as it slides. */
export function mechanismJoints(model: Pick<Model, "blocks">, geometry: Pick<Geometry, "joint_corners" | "joint_start" | "joint_blocks" | "joint_normals">, motion: ArrayLike<number>, friction: ArrayLike<number>): MechanismJoint[] {
  const speed = (block: number, at: Vec3): Vec3 => {
    const k = 6 * block;
    return add([motion[k]!, motion[k + 1]!, motion[k + 2]!], cross([motion[k + 3]!, motion[k + 4]!, motion[k + 5]!], sub(at, model.blocks[block]!.center)));
  };
  const joints = Array.from({ length: geometry.joint_start.length - 1 }, (_, joint) => {
    const normal: Vec3 = [geometry.joint_normals[3 * joint]!, geometry.joint_normals[3 * joint + 1]!, geometry.joint_normals[3 * joint + 2]!];
    const [a, b] = [geometry.joint_blocks[2 * joint]!, geometry.joint_blocks[2 * joint + 1]!];
    const corners = cornersOf(geometry, joint).map((at) => {
      const apart = sub(speed(b, at), speed(a, at));
      const along = dot(apart, normal);
      return { at, along, across: norm(sub(apart, scale(normal, along))) };
    });
    return { joint, corners };
  });
  const fastest = joints.reduce((most, { corners }) => corners.reduce((max, { along, across }) => Math.max(max, Math.abs(along), across), most), 0);
  if (fastest === 0) return [];
  const still = STILL * fastest;
  return joints.flatMap(({ joint, corners }) => {
    const opened = corners.filter(({ along, across }) => along > still + DILATES * Math.max(friction[joint] ?? 0, 0) * across);
    const together = corners.filter((corner) => !opened.includes(corner));
    const sliding = together.filter(({ across }) => across > still);
    if (!opened.length && !sliding.length) return [];
    const turns = opened.length > 0 && together.length > 0;
    return [{ joint, turns, slides: sliding.length > 0, opens: opened.length > 0, hinge: turns ? outermost(together.map(({ at }) => at)) : [] }];
  });
}

export const countOf = (joints: readonly MechanismJoint[]): MechanismCount => ({
  hinges: joints.filter(({ turns }) => turns).length,
  slides: joints.filter(({ slides }) => slides).length,
  opens: joints.filter(({ turns, opens }) => opens && !turns).length,
});

/** The two points that are farthest from each other, or the one that there is. */
function outermost(points: Vec3[]): Vec3[] {
  let best: Vec3[] = points.slice(0, 1);
  let most = 0;
  for (const a of points) for (const b of points) if (norm(sub(a, b)) > most) [best, most] = [[a, b], norm(sub(a, b))];
  return best;
}
