/** The corner of a block that a pointer means. */

import { Vector2, Vector3 } from "three";
import { carried } from "../numbers";
import type { Picked } from "../state";
import * as state from "../state";
import type { Vec3 } from "../wire/types";
import type { Display } from "./display";
import { verticesOf } from "./geometry";
import type { Stage } from "./stage";

/** From so many pixels a corner is meant. */
const SNAP_PX = 12;

/** The corner of the block that was met which is seen next to the pointer, where one is near it. */
export function cornerNear(stage: Stage, display: Display, hit: Picked, at: Vector2): Vec3 | null {
  const [model, geometry] = [state.model.peek(), state.geometry.peek()];
  if (!model || !geometry || !display.blocks) return null;
  const pose = display.blocks.poses.pose(hit.block);
  const stands = { at: [pose[0]!, pose[1]!, pose[2]!] as Vec3, turn: [pose[4]!, pose[5]!, pose[6]!, pose[7]!] as [number, number, number, number] };
  let best: Vec3 | null = null;
  let nearest = SNAP_PX;
  for (const vertex of verticesOf(geometry, hit.block).values()) {
    const corner = carried(vertex, [0, 0, 0], stands);
    const seen = stage.toPixels(new Vector3(...corner).applyMatrix4(display.blocks.faces.matrixWorld));
    const distance = seen.distanceTo(at);
    if (distance < nearest) [best, nearest] = [corner, distance];
  }
  return best;
}
