/** Ties as lines between points that go along with their blocks. */

import type { Model, TieEnd, Vec3 } from "../wire/types";
import { add, sub, turned } from "./geometry";

/** Both ends of each tie, six numbers each. `pose` gives a block's position, a spare number and its quaternion. */
export function tieLines(model: Model, pose: (block: number) => ArrayLike<number>): number[] {
  const ties = model.ties ?? [];
  if (!ties.length) return [];
  const index = new Map(model.blocks.map((block, at) => [block.name, at]));
  const place = ({ block, at }: TieEnd): Vec3 => {
    const which = index.get(block);
    if (which === undefined) return at;
    const now = pose(which);
    const arm = turned([now[4]!, now[5]!, now[6]!, now[7]!], sub(at, model.blocks[which]!.center));
    return add([now[0]!, now[1]!, now[2]!], arm);
  };
  return ties.flatMap(({ from, to }) => [...place(from), ...place(to)]);
}
