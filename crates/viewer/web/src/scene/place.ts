/** Where blocks are drawn while nothing moves them. */

import { Box3, Vector3 } from "three";
import type { Model, Vec3 } from "../wire/types";

/** What stands: the ground beneath it reaches farther and would make it small on screen. */
export function freeBounds(model: Model): Box3 {
  const box = new Box3();
  const free = model.blocks.filter((block) => !block.fixed);
  for (const block of free.length ? free : model.blocks) {
    const half = new Vector3(...block.size).multiplyScalar(0.5);
    const center = new Vector3(...block.center);
    box.expandByPoint(center.clone().add(half)).expandByPoint(center.sub(half));
  }
  return box;
}

/** A support that is larger than this, against what stands on all of them, is not brought into view. */
const WIDE_SUPPORT = 1.6;

/** Which blocks a fit brings into view: all but a ground that would make the rest small. */
export function framedBlocks(model: Model): (block: number) => boolean {
  const free = freeBounds(model).getSize(new Vector3()).length();
  if (model.blocks.every((block) => block.fixed)) return () => true;
  return (index) => {
    const { fixed, size } = model.blocks[index]!;
    return !fixed || Math.hypot(...size) <= WIDE_SUPPORT * free;
  };
}

export function middleOf(model: Model): Vec3 {
  const { least, most } = model.bounds;
  return [(least[0] + most[0]) / 2, (least[1] + most[1]) / 2, (least[2] + most[2]) / 2];
}

/** Outwards from the middle, and up from the ground, so that nothing sinks below it. */
export function exploded(center: Vec3, middle: Vec3, by: number, floor: number): Vec3 {
  return [
    center[0] + (center[0] - middle[0]) * by,
    center[1] + (center[1] - middle[1]) * by,
    center[2] + Math.max(center[2] - floor, 0) * by,
  ];
}
