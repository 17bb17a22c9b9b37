/** What can be said of a joint and of a block in numbers, in SI units: for cards, tables and files. */

import { frameAt } from "./frames";
import { add, cross, dot, norm, scale, sub, turned } from "./scene/geometry";
import * as state from "./state";
import type { Geometry, Model, Vec3 } from "./wire/types";

/** Where a block is: its centre and its rotation. */
export interface Pose {
  at: Vec3;
  turn: [number, number, number, number];
}

export type Poses = (block: number) => Pose;

export const STATES = ["open", "closed", "hinge", "slides", "hinge, slides", "held by tension"] as const;

export interface JointNumbers {
  joint: number;
  blocks: [number, number];
  area_m2: number;
  /** Null where no forces are known. */
  normal_n: number | null;
  shear_n: number | null;
  tension_n: number | null;
  pressure_pa: number | null;
  /** Shear over what friction allows, where the joint presses. */
  use: number | null;
  friction: number | null;
  /** What the check found it to do. */
  state: (typeof STATES)[number] | null;
  /** Since the start of the motion on screen; null where nothing moves. */
  opening_m: number | null;
  slip_m: number | null;
}

const three = (all: ArrayLike<number>, index: number): Vec3 => [all[3 * index]!, all[3 * index + 1]!, all[3 * index + 2]!];

/** The mass of a block under the density that is asked about. */
export function massOf(block: { mass_kg: number; volume_m3: number }): number {
  const density = state.density();
  return density === null ? block.mass_kg : density * block.volume_m3;
}

export const sumOfMasses = (blocks: readonly { mass_kg: number; volume_m3: number }[]) => blocks.reduce((sum, block) => sum + massOf(block), 0);

/** Whether a block is a support in what is asked. */
export function supportsNow(): (block: { name: string; fixed: boolean }) => boolean {
  const held = state.heldFixed();
  const names = held && new Set(held);
  return names ? ({ name }) => names.has(name) : ({ fixed }) => fixed;
}

/** Of all blocks that are free in what is asked: what `drystone info` calls the mass. */
export function freeMass(): number {
  const isFixed = supportsNow();
  return sumOfMasses((state.model()?.blocks ?? []).filter((block) => !isFixed(block)));
}

export function cornersOf(geometry: Pick<Geometry, "joint_corners" | "joint_start">, joint: number): Vec3[] {
  const corners: Vec3[] = [];
  for (let corner = geometry.joint_start[joint]!; corner < geometry.joint_start[joint + 1]!; corner++) corners.push(three(geometry.joint_corners, corner));
  return corners;
}

/** Area of a flat polygon and the middle of it. */
export function polygon(corners: readonly Vec3[]): { area: number; centre: Vec3 } {
  const first = corners[0] ?? [0, 0, 0];
  let area = 0;
  let weighted: Vec3 = [0, 0, 0];
  const whole = corners.slice(2).reduce<Vec3>((sum, corner, k) => add(sum, cross(sub(corners[k + 1]!, first), sub(corner, first))), [0, 0, 0]);
  const size = norm(whole);
  for (let k = 1; k + 1 < corners.length; k++) {
    const part = size === 0 ? 0 : dot(cross(sub(corners[k]!, first), sub(corners[k + 1]!, first)), whole) / size / 2;
    area += part;
    weighted = add(weighted, scale(add(add(first, corners[k]!), corners[k + 1]!), part / 3));
  }
  const mean = scale(corners.reduce<Vec3>((sum, corner) => add(sum, corner), [0, 0, 0]), 1 / Math.max(corners.length, 1));
  return { area, centre: area > 0 ? scale(weighted, 1 / area) : mean };
}

/** Where a point that rests at `point` has gone with its block. */
export const carried = (point: Vec3, center: Vec3, { at, turn }: Pose): Vec3 => add(at, turned(turn, sub(point, center)));

/** How far a joint has opened and slipped between two blocks that moved as rigid bodies. */
export function parted(corners: readonly Vec3[], normal: Vec3, centers: [Vec3, Vec3], poses: [Pose, Pose]): { opening: number; slip: number } {
  const across = turned(poses[0].turn, normal);
  let [opening, slip] = [-Infinity, 0];
  for (const corner of corners) {
    const apart = sub(carried(corner, centers[1], poses[1]), carried(corner, centers[0], poses[0]));
    const along = dot(apart, across);
    opening = Math.max(opening, along);
    slip = Math.max(slip, norm(sub(apart, scale(across, along))));
  }
  return { opening: Math.max(opening, 0), slip };
}

/** Where blocks are in the run on screen; null where none is. Reads the playhead. */
export function posesOnRun(): Poses | null {
  const run = state.onRun() ? state.run() : null;
  state.framesSeen();
  if (!run?.frames.length) return null;
  const { poses } = run.frames[frameAt(run.frames, state.playhead())]!;
  return (block) => ({ at: [poses[7 * block]!, poses[7 * block + 1]!, poses[7 * block + 2]!], turn: [poses[7 * block + 3]!, poses[7 * block + 4]!, poses[7 * block + 5]!, poses[7 * block + 6]!] });
}

/** How far a block is from where it was, against the ground in a run; null where nothing moves. */
export function displacementOf(block: number): number | null {
  const point = state.equilibrium();
  if (point) return norm([point.moved[6 * block]!, point.moved[6 * block + 1]!, point.moved[6 * block + 2]!]);
  const run = state.onRun() ? state.run() : null;
  state.framesSeen();
  if (!run?.frames.length) return null;
  const [first, now] = [run.frames[0]!, run.frames[frameAt(run.frames, state.playhead())]!];
  const by = (k: number) => now.poses[7 * block + k]! - first.poses[7 * block + k]! - (now.ground[k]! - first.ground[k]!);
  return Math.hypot(by(0), by(1), by(2));
}

/** The check whose forces are those of what is on screen. */
const checkShown = () => (state.atRest() ? state.check() : null);

/** Reads everything that numbers of joints depend on, once, and gives them joint by joint. */
export function jointReader(): ((joint: number) => JointNumbers) | null {
  const [model, geometry] = [state.model(), state.geometry()];
  if (!model || !geometry) return null;
  const check = checkShown();
  const point = state.equilibrium();
  const poses = posesOnRun();
  const arrays = check?.arrays;
  const hasForces = (arrays?.points.length ?? 0) > 0;
  const tensions = hasForces ? tensionByJoint(arrays!, geometry.joint_start.length - 1) : null;
  return (joint) => {
    const blocks: [number, number] = [geometry.joint_blocks[2 * joint]!, geometry.joint_blocks[2 * joint + 1]!];
    const normal = three(geometry.joint_normals, joint);
    const corners = cornersOf(geometry, joint);
    // Between two supports nothing was asked.
    const asked = hasForces && arrays!.friction[joint]! >= 0;
    const force = asked ? three(arrays!.resultant, joint) : null;
    const along = force ? dot(force, normal) : null;
    const moved = point ? { opening: point.opening[joint]!, slip: point.slip[joint]! } : poses ? motionAt(model, corners, normal, blocks, poses) : null;
    return {
      joint,
      blocks,
      area_m2: polygon(corners).area,
      normal_n: along,
      shear_n: force ? norm(sub(force, scale(normal, along!))) : null,
      tension_n: asked ? tensions![joint]! : null,
      pressure_pa: asked ? arrays!.pressure[joint]! : null,
      use: asked && arrays!.use[joint]! >= 0 ? arrays!.use[joint]! : null,
      friction: arrays && arrays.friction[joint]! >= 0 ? arrays.friction[joint]! : null,
      state: arrays && arrays.friction[joint]! >= 0 && (hasForces || check!.answer.verdict === "unstable") ? STATES[arrays.state[joint]!]! : null,
      opening_m: moved?.opening ?? null,
      slip_m: moved?.slip ?? null,
    };
  };
}

function motionAt(model: Model, corners: readonly Vec3[], normal: Vec3, [a, b]: [number, number], poses: Poses) {
  return parted(corners, normal, [model.blocks[a]!.center, model.blocks[b]!.center], [poses(a), poses(b)]);
}

function tensionByJoint({ tension, point_joint }: { tension: Float32Array; point_joint: Uint32Array }, joints: number): Float64Array {
  const sums = new Float64Array(joints);
  tension.forEach((pull, point) => void (sums[point_joint[point]!]! += pull));
  return sums;
}

/** The force of a joint on one of its blocks, in the world. Null where none is known. */
export function forceOn(block: number, joint: number): Vec3 | null {
  const [geometry, check] = [state.geometry(), checkShown()];
  if (!geometry || !check?.arrays.points.length || check.arrays.friction[joint]! < 0) return null;
  const force = three(check.arrays.resultant, joint);
  return geometry.joint_blocks[2 * joint + 1] === block ? force : scale(force, -1);
}

/** Joints of a block. */
export function jointsAt(block: number, pairs: ArrayLike<number>): number[] {
  const all: number[] = [];
  for (let joint = 0; 2 * joint < pairs.length; joint++) if (pairs[2 * joint] === block || pairs[2 * joint + 1] === block) all.push(joint);
  return all;
}
