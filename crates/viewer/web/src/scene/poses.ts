/** Where each block is and what colour it has, in one texture: a change of 5,000 poses is one upload. */

import { Color, DataTexture, FloatType, NearestFilter, RGBAFormat } from "three";

/** Texels a block: position (its fourth part is 1 where the block is hidden), quaternion, colour (with a mark in its fourth part). */
const TEXELS = 3;
const PER_ROW = 256;
/** Numbers from one block's pose to the next one's. */
export const POSE_STRIDE = TEXELS * 4;

/** The fourth part of a colour: how the edges of the block are drawn. */
export const PLAIN = 0;
export const MARKED = 1;

export class PoseTexture {
  readonly texture: DataTexture;
  readonly data: Float32Array;
  /** Colours as shaders want them, by their number: few are in use at a time. */
  private readonly linear = new Map<number, Color>();

  constructor(readonly blocks: number) {
    const rows = Math.max(1, Math.ceil(blocks / PER_ROW));
    this.data = new Float32Array(PER_ROW * TEXELS * rows * 4);
    this.texture = new DataTexture(this.data, PER_ROW * TEXELS, rows, RGBAFormat, FloatType);
    this.texture.minFilter = NearestFilter;
    this.texture.magFilter = NearestFilter;
    for (let block = 0; block < blocks; block++) this.data[block * TEXELS * 4 + 7] = 1;
  }

  setPose(block: number, x: number, y: number, z: number, qx: number, qy: number, qz: number, qw: number): void {
    const at = block * TEXELS * 4;
    this.data[at] = x;
    this.data[at + 1] = y;
    this.data[at + 2] = z;
    this.data[at + 4] = qx;
    this.data[at + 5] = qy;
    this.data[at + 6] = qz;
    this.data[at + 7] = qw;
  }

  /** Whether something else is drawn in place of a block. Its pose stays what it is. */
  setHidden(block: number, hidden: boolean): void {
    this.data[block * TEXELS * 4 + 3] = hidden ? 1 : 0;
  }

  /** Between two poses of a block, in arrays of seven numbers a block. Runs for every block in every picture. */
  mixPoses(block: number, a: Float32Array, b: Float32Array, part: number): void {
    const from = 7 * block;
    const at = block * TEXELS * 4;
    const data = this.data;
    for (let k = 0; k < 3; k++) data[at + k] = a[from + k]! + (b[from + k]! - a[from + k]!) * part;
    // A quaternion and its negative are one turn; the near one of the two is mixed.
    let along = 0;
    for (let k = 3; k < 7; k++) along += a[from + k]! * b[from + k]!;
    const sign = along < 0 ? -1 : 1;
    let size = 0;
    for (let k = 3; k < 7; k++) {
      const value = a[from + k]! * (1 - part) + sign * b[from + k]! * part;
      data[at + k + 1] = value;
      size += value * value;
    }
    const scale = 1 / Math.sqrt(size || 1);
    for (let k = 4; k < 8; k++) data[at + k]! *= scale;
  }

  /** `shade` multiplies the colour: neighbours that differ a little read as single stones. */
  setColor(block: number, hex: number, shade: number, mark: number): void {
    const at = block * TEXELS * 4 + 8;
    let color = this.linear.get(hex);
    if (!color) this.linear.set(hex, (color = new Color(hex)));
    this.data[at] = color.r * shade;
    this.data[at + 1] = color.g * shade;
    this.data[at + 2] = color.b * shade;
    this.data[at + 3] = mark;
  }

  pose(block: number): Float32Array {
    const at = block * TEXELS * 4;
    return this.data.subarray(at, at + 8);
  }

  upload(): void {
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}

/** What vertex shaders that read the texture begin with. */
export const POSE_GLSL = /* glsl */ `
uniform highp sampler2D poses;
attribute float block;
vec4 blockTexel(int part) {
  int index = int(block + 0.5);
  return texelFetch(poses, ivec2((index % ${PER_ROW}) * ${TEXELS} + part, index / ${PER_ROW}), 0);
}
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
// All corners of a hidden block are in one place.
vec3 placed(vec4 at, vec4 q, vec3 v) { return at.xyz + (1.0 - at.w) * turned(q, v); }
`;
