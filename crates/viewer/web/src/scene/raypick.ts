/** Which face of which block a ray meets first: spheres around blocks sort out nearly all of them. */

import { Vector3, type Plane } from "three";
import type { Geometry } from "../wire/types";
import { POSE_STRIDE, type PoseTexture } from "./poses";

export interface Hit {
  block: number;
  face: number;
  /** Multiples of the ray's direction. */
  along: number;
  /** The normal of the face as it stands. */
  normal: Vector3;
}

type Shapes = Pick<Geometry, "positions" | "normals" | "triangles" | "face" | "block">;

export class RayPicker {
  /** First triangle of each block in `order`, and one more. */
  private readonly start: Uint32Array;
  private readonly order: Uint32Array;
  /** Of the sphere about each block's centre, squared. */
  private readonly reach: Float32Array;

  constructor(
    private readonly source: Shapes,
    private readonly blocks: number,
  ) {
    const { positions, triangles, face, block } = source;
    this.reach = new Float32Array(blocks);
    for (let corner = 0; corner < block.length; corner++) {
      const x = positions[3 * corner]!;
      const y = positions[3 * corner + 1]!;
      const z = positions[3 * corner + 2]!;
      const square = x * x + y * y + z * z;
      if (square > this.reach[block[corner]!]!) this.reach[block[corner]!] = square;
    }
    const of = (triangle: number) => block[triangles[3 * triangle]!]!;
    this.start = new Uint32Array(blocks + 1);
    for (let triangle = 0; triangle < face.length; triangle++) this.start[of(triangle) + 1]!++;
    for (let each = 0; each < blocks; each++) this.start[each + 1]! += this.start[each]!;
    const next = this.start.slice();
    this.order = new Uint32Array(face.length);
    for (let triangle = 0; triangle < face.length; triangle++) this.order[next[of(triangle)]!++] = triangle;
  }

  /** The ray is in the frame of the poses; what lies behind a plane is cut away and not met. */
  meet(origin: Vector3, way: Vector3, poses: PoseTexture, planes: readonly Plane[] = []): Hit | null {
    const square = way.lengthSq();
    const data = poses.data;
    let best: Hit | null = null;
    for (let block = 0; block < this.blocks; block++) {
      const at = block * POSE_STRIDE;
      const cx = data[at]! - origin.x;
      const cy = data[at + 1]! - origin.y;
      const cz = data[at + 2]! - origin.z;
      const along = (cx * way.x + cy * way.y + cz * way.z) / square;
      const dx = cx - along * way.x;
      const dy = cy - along * way.y;
      const dz = cz - along * way.z;
      const reach = this.reach[block]!;
      const aside = dx * dx + dy * dy + dz * dz;
      if (aside > reach) continue;
      if (best && along - Math.sqrt((reach - aside) / square) > best.along) continue;
      best = this.meetBlock(block, poses.pose(block), origin, way, planes, best);
    }
    return best;
  }

  private meetBlock(block: number, pose: Float32Array, origin: Vector3, way: Vector3, planes: readonly Plane[], best: Hit | null): Hit | null {
    // The ray is turned into the block's frame, not the block into the ray's.
    const o = turn(pose, origin.x - pose[0]!, origin.y - pose[1]!, origin.z - pose[2]!, -1);
    const d = turn(pose, way.x, way.y, way.z, -1);
    const { positions, triangles, normals, face } = this.source;
    for (let k = this.start[block]!; k < this.start[block + 1]!; k++) {
      const triangle = this.order[k]!;
      const corner = triangles[3 * triangle]!;
      const along = meetTriangle(o, d, positions, corner, triangles[3 * triangle + 1]!, triangles[3 * triangle + 2]!);
      if (along === null || along < 0 || (best && along >= best.along)) continue;
      if (planes.length) {
        const at = origin.clone().addScaledVector(way, along);
        if (planes.some((plane) => plane.distanceToPoint(at) < 0)) continue;
      }
      const normal = turn(pose, normals[3 * corner]!, normals[3 * corner + 1]!, normals[3 * corner + 2]!, 1);
      best = { block, face: face[triangle]!, along, normal };
    }
    return best;
  }
}

/** By the pose's quaternion (`sense` 1) or back (-1). */
function turn(pose: Float32Array, x: number, y: number, z: number, sense: 1 | -1): Vector3 {
  const qx = pose[4]! * sense;
  const qy = pose[5]! * sense;
  const qz = pose[6]! * sense;
  const qw = pose[7]!;
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  return new Vector3(x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz, z + qw * tz + qx * ty - qy * tx);
}

/** Either side of the triangle counts: a section shows blocks from inside. */
function meetTriangle(o: Vector3, d: Vector3, p: Float32Array, a: number, b: number, c: number): number | null {
  const ax = p[3 * a]!;
  const ay = p[3 * a + 1]!;
  const az = p[3 * a + 2]!;
  const ux = p[3 * b]! - ax;
  const uy = p[3 * b + 1]! - ay;
  const uz = p[3 * b + 2]! - az;
  const vx = p[3 * c]! - ax;
  const vy = p[3 * c + 1]! - ay;
  const vz = p[3 * c + 2]! - az;
  const px = d.y * vz - d.z * vy;
  const py = d.z * vx - d.x * vz;
  const pz = d.x * vy - d.y * vx;
  const volume = ux * px + uy * py + uz * pz;
  if (volume === 0) return null;
  const sx = o.x - ax;
  const sy = o.y - ay;
  const sz = o.z - az;
  const s = (sx * px + sy * py + sz * pz) / volume;
  if (s < -1e-9 || s > 1 + 1e-9) return null;
  const qx = sy * uz - sz * uy;
  const qy = sz * ux - sx * uz;
  const qz = sx * uy - sy * ux;
  const t = (d.x * qx + d.y * qy + d.z * qz) / volume;
  if (t < -1e-9 || s + t > 1 + 1e-9) return null;
  return (vx * qx + vy * qy + vz * qz) / volume;
}
