/** Handles that move and turn what is selected, or the plane of a cut. */

import { DoubleSide, Mesh, MeshBasicMaterial, Object3D, PlaneGeometry, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { middle, move, rotate } from "../actions/edit";
import * as state from "../state";
import { effect } from "../store";
import type { Display } from "./display";
import { PALETTES } from "./colors";
import type { Stage } from "./stage";

export function makeGizmo(stage: Stage, display: Display): void {
  const controls = new TransformControls(stage.camera, stage.canvas);
  controls.setSize(0.8);
  const helper = controls.getHelper();
  const held = new Object3D();
  const plane = new Mesh(
    new PlaneGeometry(1, 1),
    new MeshBasicMaterial({ side: DoubleSide, transparent: true, opacity: 0.28, depthWrite: false }),
  );
  stage.scene.add(held, plane, helper);
  plane.visible = false;

  const start = { position: new Vector3(), quaternion: new Quaternion() };
  // Blocks that it moves cast their shadows anew; a handle alone casts none.
  controls.addEventListener("change", () => stage.requestRender(false));
  controls.addEventListener("dragging-changed", (event) => {
    stage.controls.enabled = !event.value;
    if (event.value) {
      start.position.copy(held.position);
      start.quaternion.copy(held.quaternion);
    } else void finish();
  });
  controls.addEventListener("objectChange", () => {
    if (controls.object === plane) {
      const normal = new Vector3(0, 0, 1).applyQuaternion(plane.quaternion);
      state.cutPlane.set({ point: plane.position.toArray(), normal: normal.toArray() });
    } else preview();
  });

  /** Shows the selected blocks where the handle holds them, before the server is told. */
  function preview(): void {
    const model = state.model.peek();
    const poses = display.blocks?.poses;
    if (!model || !poses) return;
    const turn = held.quaternion.clone().multiply(start.quaternion.clone().invert());
    for (const index of state.selection.peek()) {
      const at = new Vector3(...model.blocks[index]!.center).sub(start.position).applyQuaternion(turn).add(held.position);
      poses.setPose(index, at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w);
    }
    poses.upload();
    stage.requestRender();
  }

  async function finish(): Promise<void> {
    if (controls.object !== held) return;
    const turn = held.quaternion.clone().multiply(start.quaternion.clone().invert());
    const by = held.position.clone().sub(start.position);
    let done = false;
    if (controls.mode === "rotate") {
      if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
      const angle = 2 * Math.acos(Math.min(turn.w, 1));
      if (angle >= 1e-6) done = await rotate([turn.x, turn.y, turn.z], (angle * 180) / Math.PI, start.position.toArray());
    } else if (by.length() > 1e-9) done = await move(by.toArray());
    // A hand that already drags again holds the blocks.
    if (controls.dragging) return;
    place();
    if (!done) display.drawPoses();
    stage.requestRender();
  }

  function place(): void {
    held.position.fromArray(middle());
    held.quaternion.identity();
  }

  effect(() => {
    const mode = state.gizmo();
    const model = state.model();
    const editing = state.tab() === "edit" && state.atRest() && model !== null;
    stage.controls.object = stage.camera;
    controls.camera = (state.view.ortho(), stage.camera);
    if (editing && mode === "plane" && state.selection().size === 1) {
      const { point, normal } = state.cutPlane();
      if (!controls.dragging) {
        plane.position.fromArray(point);
        plane.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...normal).normalize());
      }
      const block = model.blocks[[...state.selection()][0]!];
      const size = 1.8 * Math.max(...(block?.size ?? [stage.radius]));
      plane.scale.set(size, size, 1);
      plane.material.color.setHex(PALETTES[state.theme()].tension);
      plane.visible = true;
      controls.attach(plane);
      controls.setSpace("local");
      controls.setMode(state.planeTurns() ? "rotate" : "translate");
    } else {
      plane.visible = false;
      if (editing && (mode === "move" || mode === "rotate") && state.selection().size > 0) {
        place();
        controls.attach(held);
        controls.setSpace("world");
        controls.setMode(mode === "move" ? "translate" : "rotate");
      } else controls.detach();
    }
    stage.requestRender();
  });
}
