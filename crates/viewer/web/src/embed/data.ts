/** What a notebook's view is told, in the form of the server's binary messages. */

import { Color, ShapeUtils, Vector2, Vector3 } from "three";
import { quaternionOf } from "../scene/geometry";
import type { Geometry, Vec3 } from "../wire/types";
import { decodeBinary } from "../wire/binary";

/** How frames follow each other: by time, step by step, or to and fro. */
export type Motion = "none" | "time" | "steps" | "swing";

export interface Header {
  caption: string;
  /** `stable`, `unstable`, `undecided`, or nothing. */
  verdict: string | null;
  names: string[];
  motion: Motion;
  /** Of each frame: its time (s), or what it is called. */
  times: number[];
  labels: string[];
  /** What one unit of a displacement (m) and of a turn is. */
  units: [number, number];
  /** Of the longest arrow, in words. */
  force_scale: string | null;
  resultant_scale: string | null;
  /** Colour of the blocks that are no supports, where one was chosen. */
  color: string | null;
  theme: "light" | "dark" | null;
}

export interface Figure {
  header: Header;
  geometry: Geometry;
  centers: Float32Array;
  fixed: Uint8Array;
  unstable: Uint8Array;
  /** Seven numbers a block: position of its centre, quaternion x y z w. */
  frames: Float32Array[];
  points: Float32Array;
  forces: Float32Array;
  tensions: Float32Array;
  places: Float32Array;
  resultants: Float32Array;
  loads: Float32Array;
  ties: Float32Array;
  joints: Float32Array;
  jointStart: Uint32Array;
}

/** Edges between faces that turn by less are not drawn. */
const FLAT_COS = Math.cos((2 * Math.PI) / 180);

export function decode(buffer: ArrayBuffer): Figure {
  const { header, arrays } = decodeBinary(buffer);
  const told = header as unknown as Header;
  const floats = (name: string) => (arrays[name] ?? new Float32Array()) as Float32Array;
  const whole = (name: string) => (arrays[name] ?? new Uint32Array()) as Uint32Array;
  const bytes = (name: string) => (arrays[name] ?? new Uint8Array()) as Uint8Array;
  const centers = floats("centers");
  return {
    header: told,
    geometry: geometryOf(floats("vertices"), whole("face_corners"), whole("face_start"), whole("face_block"), centers),
    centers,
    fixed: bytes("fixed"),
    unstable: bytes("unstable"),
    frames: framesOf(bytes("moved"), centers, told.units),
    points: floats("points"),
    forces: floats("forces"),
    tensions: floats("tensions"),
    places: floats("places"),
    resultants: floats("resultants"),
    loads: floats("loads"),
    ties: floats("ties"),
    joints: floats("joints"),
    jointStart: whole("joint_start"),
  };
}

/**
 * Poses from six whole numbers a block and frame: number by number, as differences from frame to frame, the sign in the lowest bit, the low
 * bytes of all before the high bytes. Packed like that they take half the room.
 */
function framesOf(bytes: Uint8Array, centers: Float32Array, [length, turn]: [number, number]): Float32Array[] {
  const blocks = centers.length / 3;
  const count = bytes.length / 2;
  const frames = blocks ? count / (6 * blocks) : 0;
  const whole = new Int16Array(count);
  for (let k = 0; k < count; k++) {
    const packed = bytes[k]! | (bytes[count + k]! << 8);
    whole[k] = ((packed >>> 1) ^ -(packed & 1)) + (k % frames ? whole[k - 1]! : 0);
  }
  return Array.from({ length: frames }, (_, frame) => {
    const poses = new Float32Array(7 * blocks);
    for (let block = 0; block < blocks; block++) {
      const at = (part: number) => whole[(6 * block + part) * frames + frame]!;
      for (let axis = 0; axis < 3; axis++) poses[7 * block + axis] = centers[3 * block + axis]! + at(axis) * length;
      const about: Vec3 = [at(3) * turn, at(4) * turn, at(5) * turn];
      poses.set(quaternionOf(about, Math.hypot(...about)), 7 * block + 3);
    }
    return poses;
  });
}

/** Polygons as triangles with corners of their own, and the edges where they meet at an angle. */
function geometryOf(vertices: Float32Array, corners: Uint32Array, start: Uint32Array, blockOf: Uint32Array, centers: Float32Array): Geometry {
  const positions = new Float32Array(3 * corners.length);
  const normals = new Float32Array(3 * corners.length);
  const block = new Uint32Array(corners.length);
  const triangles: number[] = [];
  const faceOf: number[] = [];
  const edges = new Map<string, { ends: [number, number]; normal: Vector3; shown: boolean }>();
  for (let face = 0; face + 1 < start.length; face++) {
    const [first, end, owner] = [start[face]!, start[face + 1]!, blockOf[face]!];
    const at = Array.from({ length: end - first }, (_, k) => new Vector3().fromArray(vertices, 3 * corners[first + k]!));
    const normal = new Vector3();
    at.forEach((a, k) => normal.add(a.clone().sub(at[0]!).cross(at[(k + 1) % at.length]!.clone().sub(at[0]!))));
    normal.normalize();
    at.forEach((point, k) => {
      for (let axis = 0; axis < 3; axis++) positions[3 * (first + k) + axis] = point.getComponent(axis) - centers[3 * owner + axis]!;
      normal.toArray(normals, 3 * (first + k));
      block[first + k] = owner;
    });
    const across = new Vector3().crossVectors(normal, Math.abs(normal.z) < 0.9 ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0)).normalize();
    const along = new Vector3().crossVectors(normal, across);
    const flat = at.map((point) => new Vector2(point.dot(across), point.dot(along)));
    for (const [a, b, c] of ShapeUtils.triangulateShape(flat, []) as [number, number, number][]) {
      // Counter-clockwise seen from outside, whichever way they came.
      const turn = flat[b]!.clone().sub(flat[a]!).cross(flat[c]!.clone().sub(flat[a]!));
      if (turn > 0) triangles.push(first + a, first + b, first + c);
      else triangles.push(first + a, first + c, first + b);
      faceOf.push(face);
    }
    for (let k = 0; k < at.length; k++) {
      const next = (k + 1) % at.length;
      const [a, b] = [corners[first + k]!, corners[first + next]!];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      const other = edges.get(key);
      if (other) other.shown = other.normal.dot(normal) < FLAT_COS;
      else edges.set(key, { ends: [first + k, first + next], normal, shown: true });
    }
  }
  return {
    positions,
    normals,
    block,
    triangles: Uint32Array.from(triangles),
    edges: Uint32Array.from([...edges.values()].flatMap(({ ends, shown }) => (shown ? ends : []))),
    face: Uint32Array.from(faceOf),
    vertex: new Uint32Array(),
    joint_corners: new Float32Array(),
    joint_start: new Uint32Array(),
    joint_blocks: new Uint32Array(),
    joint_normals: new Float32Array(),
  };
}

/** A colour as CSS has it, as a number. */
export const hexOf = (color: string): number => new Color(color).getHex();
