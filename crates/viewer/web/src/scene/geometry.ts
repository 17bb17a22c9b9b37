/** Small geometry that the scene and the panels share. */

import type { Geometry, Vec3 } from "../wire/types";

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, by: number): Vec3 => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The unit quaternion (x, y, z, w) of a turn by `angle` about `axis`; the axis need not be of length one. */
export function quaternionOf(axis: Vec3, angle: number): [number, number, number, number] {
  const size = norm(axis);
  if (size === 0) return [0, 0, 0, 1];
  const part = Math.sin(angle / 2) / size;
  return [axis[0] * part, axis[1] * part, axis[2] * part, Math.cos(angle / 2)];
}

/** A vector turned by a unit quaternion (x, y, z, w). */
export function turned([x, y, z, w]: readonly [number, number, number, number], v: Vec3): Vec3 {
  const axis: Vec3 = [x, y, z];
  return add(v, scale(cross(axis, add(cross(axis, v), scale(v, w))), 2));
}

/** The vertices of a block, relative to its centre, by their number. */
export function verticesOf(geometry: Geometry, block: number): Map<number, Vec3> {
  const vertices = new Map<number, Vec3>();
  if (!geometry.vertex) return vertices;
  for (let corner = 0; corner < geometry.block.length; corner++)
    if (geometry.block[corner] === block && !vertices.has(geometry.vertex[corner]!))
      vertices.set(geometry.vertex[corner]!, [
        geometry.positions[3 * corner]!,
        geometry.positions[3 * corner + 1]!,
        geometry.positions[3 * corner + 2]!,
      ]);
  return vertices;
}

/** The speed of the block that moves fastest, turning included, in a motion of six numbers a block. */
export function fastestOf(motion: Float32Array, blocks: readonly { size: Vec3 }[]): number {
  let fastest = 0;
  blocks.forEach(({ size }, index) => {
    const k = 6 * index;
    const arm = Math.max(size[0], size[1], size[2]) / 2;
    const speed = Math.hypot(motion[k]!, motion[k + 1]!, motion[k + 2]!) + arm * Math.hypot(motion[k + 3]!, motion[k + 4]!, motion[k + 5]!);
    fastest = Math.max(fastest, speed);
  });
  return fastest;
}

/** A stable shade between 0.94 and 1.03 for a block. */
export const shadeOf = (block: number) => 0.94 + 0.09 * (((block * 2654435761) >>> 8) % 1000) / 1000;

/** Vectors scaled so that the longest is `longest`; those below a thousandth of it are left out. */
export function arrowScale(lengths: Iterable<number>, longest: number): number {
  let most = 0;
  for (const length of lengths) if (length > most) most = length;
  return most > 0 ? longest / most : 0;
}
