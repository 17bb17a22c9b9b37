/** Where an eye must stand to have points in its picture, exactly, with a margin around them. */

import { Vector3 } from "three";

/** The part of the picture that stays free at each side. */
export const MARGIN = 0.06;

/** Where to look at and from how far; `half` is half the height of the picture in a parallel view. */
export interface Framing {
  target: Vector3;
  distance: number;
  half: number;
}

/** Collects points as an eye sees them that looks along `-from`, upright. */
export class Framer {
  private readonly right: Vector3;
  private readonly up: Vector3;
  private readonly across: number;
  private readonly along: number;
  private readonly least = new Vector3(Infinity, Infinity, Infinity);
  private readonly most = new Vector3(-Infinity, -Infinity, -Infinity);
  /** The planes through the points that bound the picture at the right, left, top and bottom. */
  private readonly sides = [-Infinity, Infinity, -Infinity, Infinity];

  /** `tangent` of half the vertical angle; `aspect` is width over height. */
  constructor(
    private readonly from: Vector3,
    private readonly tangent: number,
    private readonly aspect: number,
    margin = MARGIN,
  ) {
    this.right = new Vector3(0, 0, 1).cross(from).normalize();
    this.up = from.clone().cross(this.right);
    this.along = tangent * (1 - 2 * margin);
    this.across = this.along * aspect;
  }

  add(x: number, y: number, z: number): void {
    const { right, up, from, least, most, sides, across, along } = this;
    const u = x * right.x + y * right.y + z * right.z;
    const v = x * up.x + y * up.y + z * up.z;
    const w = x * from.x + y * from.y + z * from.z;
    if (u < least.x) least.x = u;
    if (v < least.y) least.y = v;
    if (w < least.z) least.z = w;
    if (u > most.x) most.x = u;
    if (v > most.y) most.y = v;
    if (w > most.z) most.z = w;
    if (u + across * w > sides[0]!) sides[0] = u + across * w;
    if (u - across * w < sides[1]!) sides[1] = u - across * w;
    if (v + along * w > sides[2]!) sides[2] = v + along * w;
    if (v - along * w < sides[3]!) sides[3] = v - along * w;
  }

  get empty(): boolean {
    return this.most.x < this.least.x;
  }

  private at(u: number, v: number, w: number): Vector3 {
    return this.right.clone().multiplyScalar(u).addScaledVector(this.up, v).addScaledVector(this.from, w);
  }

  perspective(): Framing {
    const [r, l, t, b] = this.sides as [number, number, number, number];
    const middle = (this.least.z + this.most.z) / 2;
    const eye = Math.max((r - l) / (2 * this.across), (t - b) / (2 * this.along), middle + 1e-6);
    const distance = eye - middle;
    return { target: this.at((r + l) / 2, (t + b) / 2, middle), distance, half: distance * this.tangent };
  }

  parallel(): Framing {
    const { least, most, tangent } = this;
    const free = this.along / tangent;
    const half = Math.max((most.y - least.y) / 2, (most.x - least.x) / 2 / this.aspect, 1e-6) / free;
    const target = this.at((least.x + most.x) / 2, (least.y + most.y) / 2, (least.z + most.z) / 2);
    return { target, distance: half / tangent, half };
  }
}

/** Half the height of a picture in which all that was seen before still is, after its shape changed. */
export const keptHalf = (half: number, aspectBefore: number, aspectNow: number): number => half * Math.max(1, aspectBefore / aspectNow);
