/** Draws the state: poses, colours, joints, forces, lines. Each effect redraws one thing. */

import { Box3, MathUtils, Plane, Quaternion, Vector3 } from "three";
import { frameAt } from "../frames";
import * as state from "../state";
import { effect, untracked } from "../store";
import type { Equilibrium, Frame, Model, Vec3 } from "../wire/types";
import { BlockMeshes } from "./blocks";
import { PALETTES, type Rgb, stressColor, viridis } from "./colors";
import { flowArrows, forceArrows, jointForces, pulled, stressScale } from "./forces";
import { add, fastestOf, norm, quaternionOf, shadeOf, sub, turned } from "./geometry";
import { loadArrows, loadsDrawn } from "./loads";
import { Arrows, Polygons, WideLines } from "./overlays";
import { exploded, framedBlocks, freeBounds, middleOf } from "./place";
import { crackLines, poseOnPath } from "./path";
import { SkinMesh, stressEnd } from "./skin";
import { keepMoving } from "./playback";
import { MARKED, PLAIN, POSE_STRIDE } from "./poses";
import type { Stage } from "./stage";
import { tieLines } from "./ties";

/** A structure that grows or shrinks by more is brought into view again; by less, where the eye is where the last fit put it. */
const RESIZED = 1.3;
const RESIZED_UNTOUCHED = 1.1;
/** Joints that press less than this part of the largest pressure are not painted: they would hide the others. */
const FAINT_STRESS = 0.03;
/** Joints that carry less than this part of the largest force are left out of the picture of friction. */
const FAINT_FORCE = 0.01;
/** What a first click would wait for is made this long after a model came: sliders that rebuild it come first. */
const PICKER_AFTER_MS = 300;
/** Radians a second of that swing. */
const SWING_RATE = 2.2;
/** A moving mechanism swings by this part of the structure's size at amplitude 1. */
const MECHANISM_REACH = 0.06;

export class Display {
  blocks: BlockMeshes | null = null;
  private shownName = "";
  private shownRadius = 1;
  private readonly joints = new Polygons();
  private readonly stress = new Polygons();
  private readonly arrows = new Arrows();
  private readonly flow = new Arrows();
  private readonly loads = new Arrows();
  private readonly lines = new WideLines();
  private readonly ties = new WideLines();
  private readonly cracks = new WideLines();
  /** Points beside the blocks that a fit brings into view. */
  besides: (add: (x: number, y: number, z: number) => void) => void = () => {};
  /** Drawn once blocks are where they are. */
  private readonly after: (() => void)[] = [];
  /** Joints that are seen, through the stone where it is clear: their corners as they are drawn. */
  jointsSeen: { corners: Float32Array; isShown: (joint: number) => boolean } | null = null;
  /** Phase of the mechanism's swing, in radians. */
  private phase = Math.PI / 2;
  /** Surfaces of blocks that deform. */
  private skin: SkinMesh | null = null;
  private fastest: { of: Float32Array | null; speed: number } = { of: null, speed: 0 };
  private readonly palette = () => PALETTES[state.theme()];

  constructor(private readonly stage: Stage) {
    stage.world.add(this.joints.mesh, this.stress.mesh, this.arrows.group, this.flow.group, this.loads.group, this.lines.group, this.ties.group, this.cracks.group);
    stage.setContent({ points: (add) => this.framed(add) });
    stage.beforeRender(() => [this.lines, this.ties, this.cracks].forEach((lines) => lines.resize(stage.pixels)));
    const draw = (body: () => void, shadows = true) => effect(() => (body(), stage.requestRender(shadows)));
    draw(() => this.drawModel());
    draw(() => stage.paint(this.palette()));
    draw(() => this.drawTilt());
    draw(() => this.drawColors(), false);
    const move = () => {
      this.drawPoses();
      this.drawLoads();
      this.drawTies();
      this.drawCracks();
      for (const act of this.after) act();
    };
    draw(move);
    draw(() => this.drawLook());
    draw(() => this.drawSection());
    draw(() => this.drawJoints(), false);
    draw(() => this.drawForces(), false);
    draw(() => this.drawThrust(), false);
    draw(() => stage.setOrtho(state.view.ortho()), false);
    effect(() => {
      state.view.explode();
      if (stage.untouched) stage.fit();
    });
    // A path may lead out of the view; it is brought back at its end, and not while it is looked at.
    effect(() => {
      if (state.path()?.state !== "ended") return;
      queueMicrotask(() => untracked(state.onPath) && stage.untouched && stage.fit());
    });
    keepMoving(
      stage,
      () => (state.atRest() && this.mechanism() !== null) || state.fallsOnPath() !== null,
      (dt) => {
        this.phase += dt * SWING_RATE;
        move();
      },
    );
  }

  /** Runs `act` whenever blocks were placed, and whenever what it reads changes. */
  afterPoses(act: () => void): void {
    this.after.push(act);
    effect(() => (act(), this.stage.requestRender(false)));
  }

  private drawModel(): void {
    const geometry = state.geometry();
    const model = state.model();
    if (!geometry || !model) return;
    if (this.blocks?.source === geometry) return;
    if (this.blocks) {
      this.stage.world.remove(this.blocks.faces, this.blocks.edges);
      this.blocks.dispose();
    }
    this.blocks = new BlockMeshes(geometry, model.blocks.length);
    this.stage.world.add(this.blocks.faces, this.blocks.edges);
    // Ready before the first click.
    const { blocks } = this;
    setTimeout(() => blocks === this.blocks && void blocks.picker, PICKER_AFTER_MS);
    this.drawTilt();
    // The camera stays while one structure is worked on, and moves for another one or for another size.
    const grown = this.stage.radius / this.shownRadius;
    const most = this.stage.untouched ? RESIZED_UNTOUCHED : RESIZED;
    if (model.name !== this.shownName) this.stage.look("three-quarter");
    else if (grown > most || grown < 1 / most) this.stage.fit();
    else return;
    this.shownName = model.name;
    this.shownRadius = this.stage.radius;
  }

  /** Points that bound what is shown: corners of blocks where a run has them now, else where they rest. */
  private framed(add: (x: number, y: number, z: number) => void): void {
    const model = state.model.peek();
    if (!model || !this.blocks) return;
    this.besides(add);
    const { positions, block: blockOf } = this.blocks.source;
    const { data } = this.blocks.poses;
    const moves = untracked(() => state.onPath() || (state.onRun() && state.run()!.frames.length > 0));
    const absent = untracked(state.equilibrium)?.absent;
    const explode = state.view.explode.peek();
    const middle = middleOf(model);
    const wanted = framedBlocks(model);
    const corner = new Vector3();
    const at = new Vector3();
    const turn = new Quaternion();
    this.blocks.faces.updateWorldMatrix(true, false);
    const { matrixWorld } = this.blocks.faces;
    let now = -1;
    let skip = false;
    for (let index = 0; index < blockOf.length; index++) {
      if (blockOf[index] !== now) {
        now = blockOf[index]!;
        skip = !wanted(now) || absent?.[now] === 1;
        if (moves) {
          at.fromArray(data, now * POSE_STRIDE);
          turn.fromArray(data, now * POSE_STRIDE + 4);
        } else at.fromArray(exploded(model.blocks[now]!.center, middle, explode, model.bounds.least[2]));
      }
      if (skip) continue;
      corner.fromArray(positions, 3 * index);
      if (moves) corner.applyQuaternion(turn);
      corner.add(at).applyMatrix4(matrixWorld);
      add(corner.x, corner.y, corner.z);
    }
  }

  private drawTilt(): void {
    const model = state.model();
    if (!model) return;
    // A slow loading has a tilt of its own, which its stages give.
    const path = state.equilibrium()?.tilt_deg;
    const tilted = state.tab() !== "edit" && state.tab() !== "slow";
    const axis = path && norm(path) > 0 ? path : state.AXES[state.tiltAxis()];
    const angle = MathUtils.degToRad(path ? norm(path) : tilted ? state.tiltDeg() : 0);
    const box = freeBounds(model);
    const pivot = box.getCenter(new Vector3()).setZ(box.min.z);
    const { world } = this.stage;
    world.quaternion.fromArray(quaternionOf(axis, angle));
    world.position.copy(pivot).sub(pivot.clone().applyQuaternion(world.quaternion));
    world.updateMatrixWorld();
    const all = new Box3(new Vector3(...model.bounds.least), new Vector3(...model.bounds.most));
    this.stage.setBounds(box, all.applyMatrix4(world.matrixWorld).min.z);
  }

  private drawColors(): void {
    const model = state.model();
    state.geometry();
    const palette = this.palette();
    if (!model || !this.blocks) return;
    this.blocks.paint(palette);
    const chosen = state.selection();
    const onlyNames = state.only();
    const among = onlyNames ? new Set(onlyNames) : null;
    const held = state.heldFixed();
    const heldNames = held ? new Set(held) : null;
    const check = state.showsVerdict() ? state.check() : null;
    const falling = new Set(state.fallsOnPath() ? state.path()?.end?.moving_blocks : []);
    const unstable = new Set(check?.answer.unstable_blocks ?? []);
    model.blocks.forEach((block, index) => {
      const fixed = heldNames ? heldNames.has(block.name) : block.fixed;
      const color = chosen.has(index)
        ? palette.selected
        : among && !among.has(block.name)
          ? palette.aside
          : unstable.has(index) || falling.has(block.name)
            ? palette.unstable
            : fixed
              ? palette.support
              : palette.block;
      this.blocks!.poses.setColor(index, color, fixed ? 1 : shadeOf(index), chosen.has(index) ? MARKED : PLAIN);
    });
    this.blocks.poses.upload();
  }

  private mechanism(): Float32Array | null {
    const check = state.check();
    const margin = state.shownMargin();
    if (margin && state.tab() === "check") return margin.motion;
    if (!state.showsVerdict() || !check || !state.show.mechanism()) return null;
    return check.answer.verdict === "unstable" && check.arrays.motion?.length ? check.arrays.motion : null;
  }

  /** Puts every block where it belongs. */
  drawPoses(): void {
    const model = state.model();
    state.geometry();
    if (!model || !this.blocks) return;
    if (state.onPath()) return this.drawOnPath(model);
    this.drawSkin(null, 1);
    const run = state.onRun() ? state.run() : null;
    if (run) {
      state.framesSeen();
      if (run.frames.length) {
        this.drawFrame(run.frames, state.playhead(), model);
        return;
      }
    }
    for (const mesh of [this.blocks.faces, this.blocks.edges]) mesh.position.set(0, 0, 0);
    const motion = this.mechanism();
    const swing = motion ? this.swing(motion, model) : 0;
    const explode = state.view.explode();
    const middle = middleOf(model);
    const { poses } = this.blocks;
    model.blocks.forEach((block, index) => {
      const at = explode === 0 ? block.center : exploded(block.center, middle, explode, model.bounds.least[2]);
      if (motion && swing !== 0) {
        const k = 6 * index;
        const turn: Vec3 = [motion[k + 3]! * swing, motion[k + 4]! * swing, motion[k + 5]! * swing];
        const q = quaternionOf(turn, norm(turn));
        poses.setPose(index, at[0] + motion[k]! * swing, at[1] + motion[k + 1]! * swing, at[2] + motion[k + 2]! * swing, q[0], q[1], q[2], q[3]);
      } else poses.setPose(index, at[0], at[1], at[2], 0, 0, 0, 1);
    });
    poses.upload();
  }

  private drawOnPath(model: Model): void {
    const { poses, faces, edges } = this.blocks!;
    for (const mesh of [faces, edges]) mesh.position.set(0, 0, 0);
    const [point, magnify, motion] = [state.equilibrium(), state.magnify(), state.fallsOnPath()];
    const swing = motion ? this.swing(motion, model) : 0;
    this.drawSkin(point, magnify);
    model.blocks.forEach(({ center }, index) => {
      const [at, turn] = poseOnPath(center, index, point, magnify, motion, swing);
      poses.setPose(index, ...at, ...turn);
    });
    poses.upload();
  }

  /** Shows the surfaces of blocks that deform in place of the blocks, where their stresses are looked at. */
  private drawSkin(point: Equilibrium | null, magnify: number): void {
    const path = state.path();
    // The motion that follows is one of rigid blocks.
    const skin = point && !state.fallsOnPath() && state.show.stressOnPath() ? (path?.skin ?? null) : null;
    if (this.skin && this.skin.source !== skin) {
      this.stage.world.remove(this.skin.faces, this.skin.edges);
      for (const block of this.skin.source.block) this.blocks?.poses.setHidden(block, false);
      this.skin.dispose();
      this.skin = null;
    }
    if (!skin) return;
    if (!this.skin) {
      this.skin = new SkinMesh(skin);
      this.skin.setSection(this.blocks?.planes ?? []);
      this.stage.world.add(this.skin.faces, this.skin.edges);
    }
    for (const block of skin.block) this.blocks?.poses.setHidden(block, true);
    this.skin.paint(this.palette());
    this.skin.edges.visible = state.view.edges();
    this.skin.show(point, magnify, stressEnd((state.pointsSeen(), path!.points)));
  }

  /** By how much the motion is multiplied now: its fastest block then moves a small part of the structure's size. */
  private swing(motion: Float32Array, model: Model): number {
    if (this.fastest.of !== motion) this.fastest = { of: motion, speed: fastestOf(motion, model.blocks) };
    if (this.fastest.speed === 0) return 0;
    // From rest forwards only: a mechanism does not run backwards.
    const part = state.show.mechanismPlays() ? (1 - Math.cos(this.phase)) / 2 : 1;
    return (part * state.show.mechanismAmplitude() * MECHANISM_REACH * this.stage.radius) / this.fastest.speed;
  }

  private drawFrame(frames: readonly Frame[], time: number, model: Model): void {
    const index = frameAt(frames, time);
    const a = frames[index]!;
    const b = frames[index + 1] ?? a;
    const part = b === a ? 0 : Math.min(Math.max((time - a.time_s) / (b.time_s - a.time_s), 0), 1);
    const { poses } = this.blocks!;
    for (let block = 0; block < model.blocks.length; block++) poses.mixPoses(block, a.poses, b.poses, part);
    poses.upload();
    const ground = (k: number) => a.ground[k]! + (b.ground[k]! - a.ground[k]!) * part;
    const shift = state.view.followGround() ? [-ground(0), -ground(1), -ground(2)] : [0, 0, 0];
    for (const mesh of [this.blocks!.faces, this.blocks!.edges]) mesh.position.fromArray(shift);
  }

  /** What people look at inside stone makes the stone clear, unless they chose themselves. */
  private seeThrough(): boolean {
    if (!state.atRest()) return false;
    const check = state.check();
    if (state.tab() === "check")
      return (
        check !== null &&
        ((check.answer.verdict === "stable" && (state.show.forces() || state.show.use())) || (state.show.tension() && pulled(check)))
      );
    return state.tab() === "thrust" && state.thrust() !== null;
  }

  private drawLook(): void {
    state.geometry();
    if (!this.blocks) return;
    const opacity = state.view.opacity();
    this.blocks.setOpacity(opacity === 1 && this.seeThrough() ? (state.theme() === "light" ? 0.4 : 0.28) : opacity);
    this.blocks.edges.visible = state.view.edges();
  }

  private drawSection(): void {
    const model = state.model();
    state.geometry();
    const axis = state.view.section();
    let planes: Plane[] = [];
    if (axis && model) {
      const k = { x: 0, y: 1, z: 2 }[axis];
      const at = model.bounds.least[k]! + state.view.sectionAt() * (model.bounds.most[k]! - model.bounds.least[k]!);
      const sign = state.view.sectionFlip() ? 1 : -1;
      planes = [new Plane(new Vector3(...state.AXES[axis]).multiplyScalar(sign), -sign * at)];
    }
    this.blocks?.setSection(planes);
    this.joints.setSection(planes);
    this.stress.setSection(planes);
    this.skin?.setSection(planes);
  }

  private drawJoints(): void {
    const geometry = state.geometry();
    const model = state.model();
    const check = state.check();
    const byUse = state.tab() === "check" && state.show.use() && check?.answer.verdict === "stable" ? check.arrays.use : null;
    const visible = state.atRest() && (byUse !== null || state.view.joints());
    this.joints.mesh.visible = visible;
    this.jointsSeen = null;
    if (!visible || !geometry || !model) return;
    const explode = state.view.explode();
    const corners = explode === 0 ? geometry.joint_corners : this.explodedJoints(model, explode);
    const plain: Rgb = state.theme() === "light" ? [0.16, 0.5, 0.52] : [0.35, 0.75, 0.78];
    const pressed = byUse && jointForces(check!.arrays.resultant);
    const isShown = (joint: number) => !byUse || !pressed || (byUse[joint]! >= 0 && pressed.force(joint) >= FAINT_FORCE * pressed.most);
    this.joints.set(corners, geometry.joint_start, (joint) => (!isShown(joint) ? null : byUse ? viridis(byUse[joint]!) : plain));
    if (this.seeThrough() || state.view.opacity() < 1) this.jointsSeen = { corners, isShown };
  }

  private explodedJoints(model: Model, explode: number): Float32Array {
    const { joint_corners, joint_start, joint_blocks } = state.geometry.peek()!;
    const moved = joint_corners.slice();
    const middle = middleOf(model);
    const shift = (block: number): Vec3 => {
      const center = model.blocks[block]!.center;
      const at = exploded(center, middle, explode, model.bounds.least[2]);
      return [at[0] - center[0], at[1] - center[1], at[2] - center[2]];
    };
    for (let joint = 0; joint + 1 < joint_start.length; joint++) {
      const a = shift(joint_blocks[2 * joint]!);
      const b = shift(joint_blocks[2 * joint + 1]!);
      for (let corner = joint_start[joint]!; corner < joint_start[joint + 1]!; corner++)
        for (let k = 0; k < 3; k++) moved[3 * corner + k]! += (a[k]! + b[k]!) / 2;
    }
    return moved;
  }

  private drawForces(): void {
    const check = state.tab() === "check" && state.atRest() ? state.check() : null;
    const radius = this.stage.radius;
    const normals = state.geometry()?.joint_normals;
    const motion = this.mechanism();
    // A mechanism that plays would leave them behind; one that is held takes them along.
    const plays = state.show.mechanismPlays() && motion?.some((speed) => speed !== 0);
    if (!check || !normals || plays || state.view.explode() > 0) this.arrows.clear();
    else this.arrows.set(forceArrows(check, normals, radius, this.palette(), motion ? this.carrier(motion) : undefined), 0.0028 * radius);
  }

  /** Takes a point of a joint to where the mechanism has the joint's second block. */
  private carrier(motion: Float32Array): (at: Vec3, joint: number) => Vec3 {
    const model = state.model()!;
    const pairs = state.geometry()!.joint_blocks;
    const swing = this.swing(motion, model);
    return (at, joint) => {
      const block = pairs[2 * joint + 1]!;
      const [x, y, z, u, v, w] = [...motion.subarray(6 * block, 6 * block + 6)].map((each) => each * swing) as [number, number, number, number, number, number];
      const { center } = model.blocks[block]!;
      return add(add(center, [x, y, z]), turned(quaternionOf([u, v, w], norm([u, v, w])), sub(at, center)));
    };
  }

  /** After the poses, which carry the loads along. */
  private drawLoads(): void {
    const model = state.model();
    state.geometry();
    const loads = state.show.loads() ? loadsDrawn() : [];
    if (!model || !this.blocks || !loads.length) return this.loads.clear();
    const radius = this.stage.radius;
    const { poses, faces } = this.blocks;
    this.loads.group.position.copy(faces.position);
    this.loads.set(loadArrows(model, loads, (block) => poses.pose(block), radius * state.show.forceScale(), this.palette().load), 0.004 * radius);
  }

  /** After the poses, too. */
  private drawTies(): void {
    this.ties.clear();
    const model = state.model();
    if (!model || !this.blocks) return;
    const { poses, faces } = this.blocks;
    this.ties.group.position.copy(faces.position);
    const palette = this.palette();
    for (const { width, yields, pairs } of tieLines(model, (block) => poses.pose(block))) this.ties.addPairs(pairs, yields ? palette.tension : palette.tie, width);
  }

  /** After the poses, too: joints that have opened or slipped. */
  private drawCracks(): void {
    this.cracks.clear();
    const [model, geometry, point] = [state.model(), state.geometry(), state.equilibrium()];
    if (!model || !geometry || !point || !this.blocks || !state.show.cracks()) return;
    const { poses } = this.blocks;
    const from = state.crackFrom() ?? state.path()?.crack_m ?? 0;
    const palette = this.palette();
    for (const { what, width, pairs } of crackLines(model, geometry, point, from, (block) => poses.pose(block))) this.cracks.addPairs(pairs, palette[what], width);
  }

  private drawThrust(): void {
    this.lines.clear();
    this.flow.clear();
    this.stress.mesh.visible = false;
    const thrust = state.tab() === "thrust" && state.atRest() ? state.thrust() : null;
    if (!thrust || !state.model()) return;
    const radius = this.stage.radius;
    const palette = this.palette();
    for (const line of thrust.lines) {
      const computed = line.kind === "computed";
      if (!(computed ? state.show.lineComputed() : state.show.lineBounds())) continue;
      this.lines.add(line.points, palette[line.kind], computed ? 3.5 : 2.5, !computed, 0.02 * radius);
    }
    if (state.show.flow()) this.flow.set(flowArrows(thrust, radius, palette), 0.0028 * radius);
    if (!state.show.stress()) return;
    const most = stressScale(thrust);
    const corners: number[] = [];
    const pressures: number[] = [];
    const start = [0];
    for (const joint of thrust.stress) {
      if (joint.most_pa < FAINT_STRESS * most) continue;
      for (const [x, y, z, pa] of joint.corners) {
        corners.push(x, y, z);
        pressures.push(pa);
      }
      start.push(pressures.length);
    }
    this.stress.set(Float32Array.from(corners), start, (_, corner) => stressColor(pressures[corner]! / most));
    this.stress.mesh.visible = true;
  }
}
