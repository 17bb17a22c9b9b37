/** What is marked over the blocks: the joint that is looked at, hinges and cracks of a mechanism, dimensions, measured lengths, forces of ties. */

import { InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { shown } from "../format";
import { hovered, pickedJoint } from "../inspect";
import { dimensions, measured } from "../measure";
import { carried, cornersOf } from "../numbers";
import * as state from "../state";
import { derived, effect } from "../store";
import type { Model, Vec3 } from "../wire/types";
import { PALETTES } from "./colors";
import { boxOf, dimensionLines } from "./dimensions";
import type { Display } from "./display";
import { type MechanismJoint, mechanismJoints } from "./hinges";
import { type Label, Labels } from "./labels";
import { WideLines } from "./overlays";
import type { Stage } from "./stage";
import { tieLabels } from "./ties";

/** Radius of a hinge's mark, as a part of the structure's. */
const HINGE = 0.014;

/** The motion that is shown as a mechanism: that of the verdict, or the one that follows a slow loading. */
const motionShown = (): Float32Array | null => {
  const check = state.check();
  if (state.fallsOnPath()) return state.fallsOnPath();
  if (!state.atRest() || !state.showsVerdict() || !check || !state.show.mechanism()) return null;
  return check.answer.verdict === "unstable" && check.arrays.motion.length ? check.arrays.motion : null;
};

/** What the joints do in the mechanism on screen. */
export const mechanismNow = derived<readonly MechanismJoint[]>(() => {
  const [model, geometry, motion, check] = [state.model(), state.geometry(), motionShown(), state.check()];
  if (!model || !geometry || !motion || motion.length !== 6 * model.blocks.length) return [];
  return mechanismJoints(model, geometry, motion, check?.arrays.friction ?? []);
});

export class Marks {
  readonly labels: Labels;
  private readonly joints = new WideLines();
  private readonly cracks = new WideLines();
  private readonly lengths = new WideLines();
  /** Ends of the lines of dimensions of all of it, whatever is selected: a fit leaves room for them. */
  private dimensioned: number[] = [];
  private hinges: InstancedMesh | null = null;
  private readonly ball = new SphereGeometry(1, 12, 8);
  private readonly paint = new MeshBasicMaterial({ depthTest: false, transparent: true });

  constructor(
    private readonly stage: Stage,
    private readonly display: Display,
  ) {
    this.labels = new Labels(stage);
    const lines = [this.joints, this.cracks, this.lengths];
    stage.world.add(...lines.map(({ group }) => group));
    stage.beforeRender(() => lines.forEach((each) => each.resize(stage.pixels)));
    display.afterPoses(() => this.drawJoints());
    display.afterPoses(() => this.drawMechanism());
    display.afterPoses(() => this.drawLengths());
    display.besides = (add) => {
      for (let k = 0; k < this.dimensioned.length; k += 3) {
        const at = new Vector3().fromArray(this.dimensioned, k).applyMatrix4(stage.world.matrixWorld);
        add(at.x, at.y, at.z);
      }
    };
    effect(() => this.paint.color.setHex(PALETTES[state.theme()].hinge));
  }

  /** Where a block has a point of its own now. */
  private now(model: Model, block: number, at: Vec3): Vec3 {
    const pose = this.display.blocks!.poses.pose(block);
    return carried(at, model.blocks[block]!.center, { at: [pose[0]!, pose[1]!, pose[2]!], turn: [pose[4]!, pose[5]!, pose[6]!, pose[7]!] });
  }

  /** The outline of a joint on one of its two blocks. */
  private outline(model: Model, joint: number, side: 0 | 1): number[] {
    const geometry = state.geometry.peek()!;
    const block = geometry.joint_blocks[2 * joint + side]!;
    const corners = cornersOf(geometry, joint).map((at) => this.now(model, block, at));
    return corners.flatMap((corner, k) => [...corner, ...corners[(k + 1) % corners.length]!]);
  }

  private drawJoints(): void {
    this.joints.clear();
    const [model, picked, under] = [state.model(), pickedJoint(), hovered()];
    const palette = PALETTES[state.theme()];
    if (!model || !state.geometry() || !this.display.blocks) return;
    this.joints.group.position.copy(this.display.blocks.faces.position);
    const both = (joint: number) => [...this.outline(model, joint, 0), ...this.outline(model, joint, 1)];
    if (picked !== null) this.joints.addPairs(both(picked), palette.picked, 4);
    if (under?.kind === "joint" && under.index !== picked && 2 * under.index < state.geometry()!.joint_blocks.length) this.joints.addPairs(both(under.index), palette.picked, 2);
  }

  private drawMechanism(): void {
    this.cracks.clear();
    const [model, joints] = [state.model(), mechanismNow()];
    const palette = PALETTES[state.theme()];
    const places: Vec3[] = [];
    if (model && this.display.blocks && joints.length && state.geometry()) {
      const pairs = state.geometry()!.joint_blocks;
      const lines = (wanted: (each: MechanismJoint) => boolean) => joints.filter(wanted).flatMap(({ joint }) => this.outline(model, joint, 0));
      this.cracks.addPairs(lines(({ opens, slides }) => slides && !opens), palette.slip, 3);
      this.cracks.addPairs(lines(({ opens }) => opens), palette.opening, 3);
      const axes: number[] = [];
      for (const { joint, hinge } of joints) {
        const ends = hinge.map((at) => this.now(model, pairs[2 * joint]!, at));
        places.push(...ends);
        if (ends.length === 2) axes.push(...ends[0]!, ...ends[1]!);
      }
      this.cracks.addPairs(axes, palette.hinge, 3.5);
    }
    this.setHinges(places);
  }

  private setHinges(places: Vec3[]): void {
    if (this.hinges?.count !== places.length) {
      if (this.hinges) {
        this.stage.world.remove(this.hinges);
        this.hinges.dispose();
      }
      this.hinges = places.length ? new InstancedMesh(this.ball, this.paint, places.length) : null;
      if (this.hinges) {
        this.hinges.frustumCulled = false;
        this.hinges.renderOrder = 7;
        this.stage.world.add(this.hinges);
      }
    }
    const size = HINGE * this.stage.radius;
    places.forEach((at, index) => this.hinges!.setMatrixAt(index, new Matrix4().setPosition(...at).scale(new Vector3(size, size, size))));
    if (this.hinges) this.hinges.instanceMatrix.needsUpdate = true;
  }

  private drawLengths(): void {
    this.lengths.clear();
    const [model, geometry] = [state.model(), state.geometry()];
    const labels: Label[] = [];
    const drawn: number[] = [];
    const palette = PALETTES[state.theme()];
    if (model && geometry && this.display.blocks) {
      labels.push(...tieLabels(model, (block) => this.display.blocks!.poses.pose(block)));
      if (dimensions() && state.atRest() && state.view.explode() === 0) {
        const { pairs, labels: words } = dimensionLines(boxOf(model, geometry, state.selection()));
        this.lengths.addPairs(pairs, palette.load, 1.4);
        labels.push(...words);
        drawn.push(...(state.selection().size ? dimensionLines(boxOf(model, geometry, new Set())).pairs : pairs));
      }
      // What a fit brought into view stays so.
      const changed = (drawn.length === 0) !== (this.dimensioned.length === 0);
      this.dimensioned = drawn;
      if (changed && this.stage.untouched) this.stage.fit();
      const points = measured();
      if (points.length === 2) {
        const [a, b] = points as [Vec3, Vec3];
        this.lengths.addPairs([...a, ...b], palette.picked, 3);
        labels.push({ at: a.map((each, k) => (each + b[k]!) / 2) as Vec3, text: shown("length", Math.hypot(...a.map((each, k) => each - b[k]!)), 4), kind: "measure" });
      }
      const stroke = 0.02 * this.stage.radius;
      for (const at of points)
        for (let k = 0; k < 3; k++) this.lengths.addPairs([-1, 1].flatMap((way) => at.map((each, axis) => each + (axis === k ? way * stroke : 0))), palette.picked, 3);
    }
    this.labels.set(labels);
  }
}
