/** Forces as arrows: at contact points, as resultants of joints, as flow at heights. */

import type { CheckResult } from "../state";
import * as state from "../state";
import type { ThrustAnswer, Vec3 } from "../wire/types";
import type { Palette } from "./colors";
import { arrowScale, norm, scale } from "./geometry";
import type { Arrow } from "./overlays";

/** The longest arrow, as a part of the structure's radius, at scale 1. */
const LONGEST = 0.16;
/** Forces below this part of the largest are not drawn: they would be dots. */
const LEAST = 0.01;

const three = (array: Float32Array, index: number): Vec3 => [array[3 * index]!, array[3 * index + 1]!, array[3 * index + 2]!];

function arrowsOf(at: Vec3[], vectors: Vec3[], colors: number[], longest: number): Arrow[] {
  const sizes = vectors.map(norm);
  const by = arrowScale(sizes, longest);
  return vectors.flatMap((vector, index) =>
    sizes[index]! * by < LEAST * longest ? [] : [{ at: at[index]!, vector: scale(vector, by), color: colors[index]! }],
  );
}

/** Whether joints would have to pull for it to stand. */
export const pulled = (check: CheckResult): boolean => (check.answer.tension_n ?? 0) > 0 && check.arrays.tension.length > 0;

/** `carry` takes a point of a joint to where its second block, on which the force acts, is drawn. */
export function forceArrows(
  check: CheckResult,
  normals: Float32Array,
  radius: number,
  palette: Palette,
  carry: (at: Vec3, joint: number) => Vec3 = (at) => at,
): Arrow[] {
  const { arrays } = check;
  const longest = LONGEST * radius * state.show.forceScale();
  const arrows: Arrow[] = [];
  if (state.show.forces() && arrays.points) {
    const count = arrays.points.length / 3;
    const indices = Array.from({ length: count }, (_, index) => index);
    arrows.push(
      ...arrowsOf(
        indices.map((index) => carry(three(arrays.points, index), arrays.point_joint[index]!)),
        indices.map((index) => three(arrays.forces, index)),
        indices.map(() => palette.force),
        longest,
      ),
    );
  }
  if (state.show.tension() && pulled(check)) {
    const indices = [...arrays.tension.keys()].filter((index) => arrays.tension[index]! > 0);
    arrows.push(
      ...arrowsOf(
        indices.map((index) => carry(three(arrays.points, index), arrays.point_joint[index]!)),
        // Tension draws the second block back to the first, against the normal.
        indices.map((index) => scale(three(normals, arrays.point_joint[index]!), -arrays.tension[index]!)),
        indices.map(() => palette.tension),
        longest,
      ),
    );
  }
  if (state.show.resultants() && arrays.resultant) {
    const joints = Array.from({ length: arrays.resultant.length / 3 }, (_, index) => index);
    arrows.push(
      ...arrowsOf(
        joints.map((joint) => carry(three(arrays.resultant_at, joint), joint)),
        joints.map((joint) => three(arrays.resultant, joint)),
        joints.map(() => palette.resultant),
        longest,
      ),
    );
  }
  return arrows;
}

export function flowArrows(thrust: ThrustAnswer, radius: number, palette: Palette): Arrow[] {
  const forces = thrust.flow.flatMap((level) => level.forces);
  return arrowsOf(
    forces.map((each) => each.at),
    forces.map((each) => each.force),
    forces.map(() => palette.force),
    LONGEST * radius * state.show.flowScale(),
  );
}

/** Sizes of the resultants of joints, and the largest. */
export function jointForces(resultants: Float32Array): { force: (joint: number) => number; most: number } {
  const force = (joint: number) => norm(three(resultants, joint));
  let most = 0;
  for (let joint = 0; 3 * joint < resultants.length; joint++) most = Math.max(most, force(joint));
  return { force, most };
}

/** The pressure at the upper end of the scale: 95 of 100 joints press less, for single corners may press far harder. */
export function stressScale(thrust: Pick<ThrustAnswer, "stress">): number {
  const pressures = thrust.stress.map((joint) => joint.most_pa).filter((pa) => pa > 0).sort((a, b) => a - b);
  return pressures[Math.floor(0.95 * (pressures.length - 1))] ?? 1;
}
