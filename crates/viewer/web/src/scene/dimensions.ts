/** Lines that tell how long, deep and high something is, beside it. */

import { Box3, Vector3 } from "three";
import { shown } from "../format";
import type { Geometry, Model, Vec3 } from "../wire/types";
import type { Label } from "./labels";
import { framedBlocks } from "./place";

/** Distance of the lines from what they measure, and half the length of the strokes at their ends, as parts of its size. */
const AWAY = 0.07;
const STROKE = 0.018;

/** The box of the chosen blocks as they rest, else of what a fit brings into view. */
export function boxOf(model: Model, { positions, block: blockOf }: Pick<Geometry, "positions" | "block">, chosen: ReadonlySet<number>): Box3 {
  const wanted = chosen.size ? (block: number) => chosen.has(block) : framedBlocks(model);
  const box = new Box3();
  const at = new Vector3();
  for (let corner = 0; corner < blockOf.length; corner++) {
    const block = blockOf[corner]!;
    if (wanted(block)) box.expandByPoint(at.fromArray(model.blocks[block]!.center).add(new Vector3().fromArray(positions, 3 * corner)));
  }
  return box;
}

/** Pieces of lines, six numbers each, and what stands at them. */
export function dimensionLines({ min, max }: Box3): { pairs: number[]; labels: Label[] } {
  const size = max.clone().sub(min);
  const away = AWAY * size.length();
  const stroke = STROKE * size.length();
  // Each along its axis: in front at the foot, on the right at the foot, at the left front edge.
  const lines: { from: Vec3; to: Vec3; across: Vec3 }[] = [
    { from: [min.x, min.y - away, min.z], to: [max.x, min.y - away, min.z], across: [0, 1, 0] },
    { from: [max.x + away, min.y, min.z], to: [max.x + away, max.y, min.z], across: [1, 0, 0] },
    { from: [min.x - away, min.y, min.z], to: [min.x - away, min.y, max.z], across: [1, 0, 0] },
  ];
  const pairs: number[] = [];
  const labels: Label[] = lines.map(({ from, to, across }, k) => {
    pairs.push(...from, ...to);
    for (const end of [from, to]) pairs.push(...end.map((each, axis) => each - stroke * across[axis]!), ...end.map((each, axis) => each + stroke * across[axis]!));
    return { at: from.map((each, axis) => (each + to[axis]!) / 2) as Vec3, text: shown("length", size.getComponent(k), 4), kind: "dimension" };
  });
  return { pairs, labels };
}
