/** Draws a figure: blocks where a frame has them, forces, loads, ties and joints. */

import { Box3, Quaternion, type Vector2, Vector3 } from "three";
import { BlockMeshes } from "../scene/blocks";
import { PALETTES, type Palette } from "../scene/colors";
import { shadeOf } from "../scene/geometry";
import { pick } from "../scene/pick";
import { type Arrow, Arrows, Polygons, WideLines } from "../scene/overlays";
import { PLAIN } from "../scene/poses";
import { Stage } from "../scene/stage";
import { type Figure, hexOf } from "./data";

/** The longest arrow, as a part of the structure's radius. */
const LONGEST = 0.22;
/** Forces below this part of the largest would be dots. */
const LEAST = 0.01;
/** Blocks that move by more than this part of the structure's radius are not kept in view. */
const FAR = 0.5;
/** Supports that reach farther than this, against what stands on them, are not brought into view. */
const WIDE_SUPPORTS = 2.5;
const CLEAR = { light: 0.4, dark: 0.28 } as const;
const JOINT = { light: [0.16, 0.5, 0.52], dark: [0.35, 0.75, 0.78] } as const;

export interface Shown {
  forces: boolean;
  resultants: boolean;
  edges: boolean;
}

export class View {
  readonly stage: Stage;
  readonly shown: Shown;
  private readonly blocks: BlockMeshes;
  private readonly arrows = new Arrows();
  private readonly loads = new Arrows();
  private readonly joints = new Polygons();
  private readonly ties = new WideLines();
  private readonly palette: Palette;
  private readonly radius: number;
  /** Frame on screen, with the part of the way to the next. */
  private at = 0;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly figure: Figure,
    private readonly theme: "light" | "dark",
  ) {
    this.palette = PALETTES[theme];
    this.shown = { forces: figure.forces.length > 0, resultants: false, edges: true };
    this.stage = new Stage(canvas);
    this.blocks = new BlockMeshes(figure.geometry, figure.fixed.length);
    this.stage.world.add(this.blocks.faces, this.blocks.edges, this.arrows.group, this.loads.group, this.joints.mesh, this.ties.group);
    this.stage.beforeRender(() => this.ties.resize(this.stage.pixels));
    const all = this.box(() => true);
    const free = this.box((block) => !figure.fixed[block]);
    const size = (box: Box3) => box.getSize(new Vector3()).length();
    const wanted = free.isEmpty() || size(all) <= WIDE_SUPPORTS * size(free) ? () => true : (block: number) => !figure.fixed[block];
    this.radius = size(free.isEmpty() ? all : free) / 2;
    this.stage.setContent({ points: (add) => this.points(wanted, add) });
    this.paint();
    this.draw(0);
    this.drawForces();
    this.loads.set(this.loadArrows(), 0.005 * this.radius);
    this.drawTies();
    this.drawJoints();
    this.stage.setBounds(free.isEmpty() ? all : free, all.min.z);
    this.stage.look("three-quarter");
  }

  /** Ends of loads, and corners of blocks at rest and in the last frame. */
  private points(wanted: (block: number) => boolean, add: (x: number, y: number, z: number) => void): void {
    const { geometry, centers, frames } = this.figure;
    for (const { at } of this.loadArrows()) add(...at);
    const corner = new Vector3();
    const turn = new Quaternion();
    const last = frames.at(-1);
    for (let index = 0; index < geometry.block.length; index++) {
      const block = geometry.block[index]!;
      if (!wanted(block)) continue;
      corner.fromArray(geometry.positions, 3 * index);
      add(corner.x + centers[3 * block]!, corner.y + centers[3 * block + 1]!, corner.z + centers[3 * block + 2]!);
      // What flew off would make the rest small.
      if (!last || this.far(last, block)) continue;
      corner.applyQuaternion(turn.fromArray(last, 7 * block + 3));
      add(corner.x + last[7 * block]!, corner.y + last[7 * block + 1]!, corner.z + last[7 * block + 2]!);
    }
  }

  private far(frame: Float32Array, block: number): boolean {
    const { centers } = this.figure;
    return Math.hypot(...[0, 1, 2].map((axis) => frame[7 * block + axis]! - centers[3 * block + axis]!)) > FAR * this.radius;
  }

  private box(wanted: (block: number) => boolean): Box3 {
    const { geometry, centers } = this.figure;
    const box = new Box3();
    const corner = new Vector3();
    const center = new Vector3();
    geometry.block.forEach((block, index) => {
      if (wanted(block)) box.expandByPoint(corner.fromArray(geometry.positions, 3 * index).add(center.fromArray(centers, 3 * block)));
    });
    return box;
  }

  private paint(): void {
    const { fixed, unstable, header } = this.figure;
    const plain = header.color === null ? this.palette.block : hexOf(header.color);
    this.stage.paint(this.palette);
    this.blocks.paint(this.palette);
    fixed.forEach((isFixed, block) => {
      const color = isFixed ? this.palette.support : unstable[block] ? this.palette.unstable : plain;
      this.blocks.poses.setColor(block, color, isFixed ? 1 : shadeOf(block), PLAIN);
    });
  }

  /** Puts blocks where frame `at` has them; between two frames, between them. */
  draw(at: number): void {
    this.at = at;
    const { frames, centers, fixed } = this.figure;
    const { poses } = this.blocks;
    const index = Math.min(Math.max(Math.floor(at), 0), Math.max(frames.length - 1, 0));
    const a = frames[index];
    const b = frames[index + 1] ?? a;
    for (let block = 0; block < fixed.length; block++)
      if (a && b) poses.mixPoses(block, a, b, at - index);
      else poses.setPose(block, centers[3 * block]!, centers[3 * block + 1]!, centers[3 * block + 2]!, 0, 0, 0, 1);
    poses.upload();
    this.stage.requestRender();
  }

  /** Draws again what can be switched. */
  show(change: Partial<Shown>): void {
    Object.assign(this.shown, change);
    this.drawForces();
    this.blocks.edges.visible = this.shown.edges;
    this.stage.requestRender();
  }

  private drawForces(): void {
    const { figure, palette, shown } = this;
    const arrows = [
      ...(shown.forces ? this.arrowsOf(figure.points, figure.forces, palette.force) : []),
      ...(shown.forces ? this.arrowsOf(figure.points, figure.tensions, palette.tension) : []),
      ...(shown.resultants ? this.arrowsOf(figure.places, figure.resultants, palette.resultant) : []),
    ];
    this.arrows.set(arrows, 0.0028 * this.radius);
    this.blocks.setOpacity(arrows.length || figure.joints.length ? CLEAR[this.theme] : 1);
  }

  /** They end at their points, so that they are seen outside of stone. */
  private loadArrows(): Arrow[] {
    const { loads } = this.figure;
    const places = loads.filter((_, k) => k % 6 < 3);
    const forces = loads.filter((_, k) => k % 6 >= 3);
    return this.arrowsOf(places, forces, this.palette.load).map((arrow) => ({
      ...arrow,
      at: arrow.at.map((x, k) => x - arrow.vector[k]!) as Arrow["at"],
    }));
  }

  private drawTies(): void {
    if (this.figure.ties.length) this.ties.addPairs([...this.figure.ties], this.palette.tie, 3);
  }

  private drawJoints(): void {
    const { joints, jointStart } = this.figure;
    if (joints.length) this.joints.set(joints, jointStart, () => [...JOINT[this.theme]]);
    this.joints.mesh.visible = joints.length > 0;
  }

  private arrowsOf(places: Float32Array, vectors: Float32Array, color: number): Arrow[] {
    const sizes = Array.from({ length: vectors.length / 3 }, (_, k) => Math.hypot(vectors[3 * k]!, vectors[3 * k + 1]!, vectors[3 * k + 2]!));
    const most = sizes.reduce((a, b) => Math.max(a, b), 0);
    const by = (LONGEST * this.radius) / most;
    return sizes.flatMap((size, k) =>
      size > LEAST * most
        ? [{ at: [...places.subarray(3 * k, 3 * k + 3)] as Arrow["at"], vector: [...vectors.subarray(3 * k, 3 * k + 3)].map((x) => x * by) as Arrow["vector"], color }]
        : [],
    );
  }

  /** The block under a point of the canvas, in pixels; null where there is none. */
  blockAt(at: Vector2): number | null {
    return pick(this.stage, this.blocks, at)?.block ?? null;
  }

  get position(): number {
    return this.at;
  }
}
