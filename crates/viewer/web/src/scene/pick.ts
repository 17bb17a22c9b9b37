/** Which block and face lie under the pointer. */

import { Matrix4, Plane, Vector3, type Vector2 } from "three";
import type { Picked } from "../state";
import type { BlockMeshes } from "./blocks";
import type { Stage } from "./stage";

/** `at` in pixels of the canvas, from its upper left corner. The answer is in the model's frame, in which edits are made. */
export function pick(stage: Stage, blocks: BlockMeshes, at: Vector2): Picked | null {
  stage.updateCamera();
  blocks.faces.updateWorldMatrix(true, false);
  const inverse = new Matrix4().copy(blocks.faces.matrixWorld).invert();
  const [x, y] = [(2 * at.x) / stage.pixels.x - 1, 1 - (2 * at.y) / stage.pixels.y];
  const near = new Vector3(x, y, -1).unproject(stage.camera).applyMatrix4(inverse);
  const way = new Vector3(x, y, 1).unproject(stage.camera).applyMatrix4(inverse).sub(near);
  const planes = blocks.planes.map((plane) => new Plane().copy(plane).applyMatrix4(inverse));
  const hit = blocks.picker.meet(near, way, blocks.poses, planes);
  if (!hit) return null;
  return {
    block: hit.block,
    face: hit.face,
    point: near.addScaledVector(way, hit.along).toArray(),
    normal: hit.normal.toArray(),
  };
}
