/** Safety margins as they are kept and listed. */

import { significant } from "./format";
import type { Moving, Situation, Vec3 } from "./wire/types";

export interface Margin {
  /** What was looked for: two of the same title take each other's place where their assumptions are the same. */
  title: string;
  /** By which method, or under which law of friction. */
  how: string;
  /** The number, short, with its unit; a dash where there is none. */
  value: string;
  /** What is known, in a sentence. */
  conclusion: string;
  /** What was assumed, as text. */
  assumed: string;
  /** The same, where it is not as in the model, in words. */
  assumedWords: string;
  /** Six numbers a block; null where no mechanism was found. */
  motion: Float32Array | null;
}

/** The motion of every block, from that of those that move. */
export function motionOf(moving: Moving, blocks: number): Float32Array | null {
  if (!moving.length) return null;
  const motion = new Float32Array(6 * blocks);
  for (const [block, velocity, turn] of moving) motion.set([...velocity, ...turn], 6 * block);
  return motion;
}

/** A direction in a few letters: `x`, `−y`, or its components. */
export function wayWords(way: Vec3): string {
  const size = Math.hypot(...way);
  const unit = way.map((each) => each / size);
  const along = unit.findIndex((each) => Math.abs(Math.abs(each) - 1) < 1e-9);
  if (along >= 0) return `${unit[along]! < 0 ? "−" : "+"}${"xyz"[along]}`;
  return way.map((each) => String(Number(each.toPrecision(4)))).join(", ").replaceAll("-", "−");
}

/** What of a situation is not as in the model. */
export function assumptions({ friction, friction_factor, density, tilt, fixed, only, loads }: Situation): string {
  const parts: string[] = [];
  if (friction !== null) parts.push(`friction ${significant(friction)}`);
  if (friction_factor !== null && friction_factor !== 1) parts.push(`friction × ${significant(friction_factor)}`);
  if (density !== null) parts.push(`density ${significant(density, 4)} kg/m³`);
  if (tilt) parts.push(`tilted ${significant(tilt.angle_deg)}° about ${wayWords(tilt.axis)}`);
  if (fixed) parts.push("other supports");
  if (only) parts.push("some blocks alone");
  for (const { case: name, factor } of loads) parts.push(`“${name}” × ${significant(factor)}`);
  return parts.join(", ");
}

/** A margin takes the place of the same one under the same assumptions. */
export function withMargin(margins: readonly Margin[], added: Margin): readonly Margin[] {
  return [added, ...margins.filter(({ title, how, assumed }) => title !== added.title || how !== added.how || assumed !== added.assumed)];
}
