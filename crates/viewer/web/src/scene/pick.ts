/** Which block and face lie under the pointer: one pixel of a picture of numbers. */

import { NoBlending, Scene, type Vector2, Vector3, WebGLRenderTarget } from "three";
import type { Picked } from "../state";
import type { Vec3 } from "../wire/types";
import type { BlockMeshes } from "./blocks";
import { faceOf, rayPlane } from "./geometry";
import type { Stage } from "./stage";

const target = new WebGLRenderTarget(1, 1);
const numbers = new Scene();
const pixel = new Uint8Array(4);

/** `at` in pixels of the canvas, from its upper left corner. */
export function pick(stage: Stage, blocks: BlockMeshes, at: Vector2): Picked | null {
  const { renderer, camera } = stage;
  const { ids } = blocks;
  ids.material.blending = NoBlending;
  blocks.faces.updateWorldMatrix(true, false);
  numbers.add(ids);
  ids.matrixAutoUpdate = false;
  ids.matrix.copy(blocks.faces.matrixWorld);
  camera.setViewOffset(stage.pixels.x, stage.pixels.y, at.x, at.y, 1, 1);
  renderer.setRenderTarget(target);
  renderer.setClearColor(0, 0);
  renderer.clear();
  renderer.render(numbers, camera);
  renderer.readRenderTargetPixels(target, 0, 0, 1, 1, pixel);
  renderer.setRenderTarget(null);
  camera.clearViewOffset();

  const block = pixel[0]! + 256 * pixel[1]! - 1;
  if (block < 0) return null;
  const face = pixel[2]! + 256 * pixel[3]!;
  return locate(stage, blocks, at, block, face);
}

function locate(stage: Stage, blocks: BlockMeshes, at: Vector2, block: number, face: number): Picked | null {
  const found = faceOf(blocks.source, block, face);
  if (!found) return null;
  const pose = blocks.poses.pose(block);
  const q = new Vector3(pose[4], pose[5], pose[6]);
  const turn = (v: Vec3) => {
    const u = new Vector3(...v);
    return u.add(q.clone().cross(q.clone().cross(u).addScaledVector(u, pose[7]!)).multiplyScalar(2));
  };
  const here = new Vector3(pose[0], pose[1], pose[2]);
  const corner = turn(found.corner).add(here).applyMatrix4(blocks.faces.matrixWorld);
  const normal = turn(found.normal).transformDirection(blocks.faces.matrixWorld);

  const screen = { x: (2 * at.x) / stage.pixels.x - 1, y: 1 - (2 * at.y) / stage.pixels.y };
  const near = new Vector3(screen.x, screen.y, -1).unproject(stage.camera);
  const far = new Vector3(screen.x, screen.y, 1).unproject(stage.camera);
  const hit = rayPlane(
    near.toArray(),
    far.sub(near).toArray(),
    corner.toArray(),
    normal.toArray(),
  );
  if (!hit) return null;
  // Back into the model's own frame, in which edits are made.
  const inverse = blocks.faces.matrixWorld.clone().invert();
  return {
    block,
    face,
    point: new Vector3(...hit).applyMatrix4(inverse).toArray(),
    normal: normal.transformDirection(inverse).toArray(),
  };
}
