/** Which block and face, or which joint, lie under the pointer. */

import { Matrix4, Plane, Vector3, type Vector2 } from "three";
import type { Picked } from "../state";
import * as state from "../state";
import type { BlockMeshes } from "./blocks";
import type { Display } from "./display";
import { JointIndex, jointThrough, seamAt } from "./jointpick";
import type { Stage } from "./stage";

/** A seam counts as pointed at from so many pixels, and from no more than this part of what its block measures. */
const SEAM_PX = 4;
const SEAM_PART = 0.1;

interface Ray {
  near: Vector3;
  way: Vector3;
  planes: Plane[];
}

/** The ray through a pixel, in the model's frame, in which edits are made. */
function rayThrough(stage: Stage, blocks: BlockMeshes, at: Vector2): Ray {
  stage.updateCamera();
  blocks.faces.updateWorldMatrix(true, false);
  const inverse = new Matrix4().copy(blocks.faces.matrixWorld).invert();
  const [x, y] = [(2 * at.x) / stage.pixels.x - 1, 1 - (2 * at.y) / stage.pixels.y];
  const near = new Vector3(x, y, -1).unproject(stage.camera).applyMatrix4(inverse);
  const way = new Vector3(x, y, 1).unproject(stage.camera).applyMatrix4(inverse).sub(near);
  return { near, way, planes: blocks.planes.map((plane) => new Plane().copy(plane).applyMatrix4(inverse)) };
}

/** `at` in pixels of the canvas, from its upper left corner. */
export function pick(stage: Stage, blocks: BlockMeshes, at: Vector2): Picked | null {
  const { near, way, planes } = rayThrough(stage, blocks, at);
  const hit = blocks.picker.meet(near, way, blocks.poses, planes);
  if (!hit) return null;
  return {
    block: hit.block,
    face: hit.face,
    point: near.addScaledVector(way, hit.along).toArray(),
    normal: hit.normal.toArray(),
  };
}

let index: JointIndex | null = null;

/** The joint under the pointer; `hit` is what `pick` gave there, `exact` whether the pointer is one that can point at seams. */
export function pickJointAt(stage: Stage, display: Display, at: Vector2, hit: Picked | null, exact: boolean): number | null {
  const [model, geometry, { blocks }] = [state.model.peek(), state.geometry.peek(), display];
  if (!model || !geometry || !blocks) return null;
  const seen = display.jointsSeen;
  if (seen) {
    const { near, way, planes } = rayThrough(stage, blocks, at);
    const joint = jointThrough(seen.corners, geometry.joint_start, seen.isShown, near, way, planes);
    if (joint !== null) return joint;
  }
  if (!hit || !exact) return null;
  if (index?.source !== geometry) index = new JointIndex(geometry, model.blocks.length);
  const reach = Math.min(SEAM_PX * stage.metresPerPixel(hit.point), SEAM_PART * Math.min(...model.blocks[hit.block]!.size));
  return seamAt(index, model, hit, blocks.poses.pose(hit.block), reach);
}
