/** What is drawn over the blocks: joints, arrows, lines. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type Plane,
  Quaternion,
  Vector2,
  Vector3,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import type { Rgb } from "./colors";

/** Flat polygons with a colour at each corner. */
export class Polygons {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;

  constructor() {
    const material = new MeshBasicMaterial({
      vertexColors: true,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -2,
      transparent: true,
      opacity: 0.92,
    });
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
  }

  /** `start` has one entry a polygon and one more; corners go round each polygon. */
  set(corners: Float32Array, start: ArrayLike<number>, color: (polygon: number, corner: number) => Rgb | null): void {
    const colors = new Float32Array(corners.length);
    const triangles: number[] = [];
    const mixed = new Color();
    for (let polygon = 0; polygon + 1 < start.length; polygon++) {
      const first = start[polygon]!;
      const end = start[polygon + 1]!;
      let visible = true;
      for (let corner = first; corner < end; corner++) {
        const rgb = color(polygon, corner);
        if (!rgb) {
          visible = false;
          break;
        }
        mixed.setRGB(rgb[0], rgb[1], rgb[2], "srgb");
        mixed.toArray(colors, 3 * corner);
      }
      if (visible) for (let corner = first + 1; corner + 1 < end; corner++) triangles.push(first, corner, corner + 1);
    }
    this.mesh.geometry.dispose();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(corners, 3));
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
    geometry.setIndex(triangles);
    this.mesh.geometry = geometry;
  }

  setSection(planes: Plane[]): void {
    this.mesh.material.clippingPlanes = planes;
  }
}

export interface Arrow {
  at: [number, number, number];
  vector: [number, number, number];
  color: number;
}

const UP = new Vector3(0, 1, 0);

/** Many arrows in two draw calls. They are drawn over blocks: forces lie inside stone. */
export class Arrows {
  readonly group = new Group();
  private shafts: InstancedMesh | null = null;
  private heads: InstancedMesh | null = null;
  private readonly shaftShape = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
  private readonly headShape = new ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
  private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 });

  /** `thickness` in metres; lengths of arrows are those of their vectors. */
  set(arrows: Arrow[], thickness: number): void {
    if (this.shafts?.count !== arrows.length) this.make(arrows.length);
    if (!arrows.length) return;
    const matrix = new Matrix4();
    const at = new Vector3();
    const way = new Vector3();
    const turn = new Quaternion();
    const size = new Vector3();
    const color = new Color();
    arrows.forEach((arrow, index) => {
      way.fromArray(arrow.vector);
      const length = way.length();
      way.divideScalar(length || 1);
      turn.setFromUnitVectors(UP, way);
      const head = Math.min(6 * thickness, 0.45 * length);
      at.fromArray(arrow.at);
      this.shafts!.setMatrixAt(index, matrix.compose(at, turn, size.set(thickness, Math.max(length - head, 0), thickness)));
      at.addScaledVector(way, length - head);
      const width = Math.min(2.3 * thickness, 0.3 * length);
      this.heads!.setMatrixAt(index, matrix.compose(at, turn, size.set(width, head, width)));
      color.setHex(arrow.color);
      this.shafts!.setColorAt(index, color);
      this.heads!.setColorAt(index, color);
    });
    for (const mesh of [this.shafts!, this.heads!]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  private make(count: number): void {
    this.clear();
    if (!count) return;
    this.shafts = new InstancedMesh(this.shaftShape, this.material, count);
    this.heads = new InstancedMesh(this.headShape, this.material, count);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.group.add(mesh);
    }
  }

  clear(): void {
    for (const mesh of [this.shafts, this.heads]) {
      if (!mesh) continue;
      this.group.remove(mesh);
      mesh.dispose();
    }
    this.shafts = this.heads = null;
  }
}

/** Lines as wide as asked in pixels, drawn over blocks. */
export class WideLines {
  readonly group = new Group();
  private readonly materials: LineMaterial[] = [];

  add(points: [number, number, number][], color: number, width: number, dashed: boolean, dash: number): void {
    const pairs: number[] = [];
    for (let index = 0; index + 1 < points.length; index++) pairs.push(...points[index]!, ...points[index + 1]!);
    this.addPairs(pairs, color, width, dashed, dash);
  }

  /** Lines apart from each other, six numbers each. */
  addPairs(pairs: number[], color: number, width: number, dashed = false, dash = 1): void {
    if (!pairs.length) return;
    const geometry = new LineSegmentsGeometry().setPositions(pairs);
    const material = new LineMaterial({
      color,
      linewidth: width,
      dashed,
      dashSize: dash,
      gapSize: dash * 0.6,
      depthTest: false,
      transparent: true,
    });
    const line = new LineSegments2(geometry, material);
    if (dashed) line.computeLineDistances();
    line.frustumCulled = false;
    line.renderOrder = 6;
    this.materials.push(material);
    this.group.add(line);
  }

  resize(size: Vector2): void {
    for (const material of this.materials) material.resolution.copy(size);
  }

  clear(): void {
    for (const line of [...this.group.children] as LineSegments2[]) line.geometry.dispose();
    for (const material of this.materials) material.dispose();
    this.materials.length = 0;
    this.group.clear();
  }
}
