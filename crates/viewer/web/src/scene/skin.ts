/** Surfaces of blocks that deform, coloured by von Mises' stress. */

import { BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, type Plane } from "three";
import type { Equilibrium, Skin } from "../wire/types";
import { heat, type Palette } from "./colors";

/** Places of the nodes of a skin, displacements `magnify` times; those of blocks that are not there come to lie in one point. */
export function skinPlaces({ start, block }: Skin, point: Equilibrium | null, magnify: number): Float32Array {
  const places = start.slice();
  if (!point) return places;
  const moved = point.skin_moved;
  for (let node = 0; node < block.length; node++) {
    const gone = point.absent[block[node]!] === 1;
    for (let k = 3 * node; k < 3 * node + 3; k++) places[k] = gone ? 0 : start[k]! + magnify * (moved[k] ?? 0);
  }
  return places;
}

/** Where the scale of stresses ends on a path: the same for all its equilibria, so that colours tell more and less. */
export const stressEnd = (points: readonly Equilibrium[]): number => points.reduce((most, point) => Math.max(most, point.stress_scale_pa ?? 0), 0);

/** The largest displacement is drawn as long as this part of the structure. */
const SHOWN = 0.03;
const MOST = 1e6;

/** The largest of 1, 2 or 5 times a power of ten by which displacements look no larger than that; 1 where they are large as they are. */
export function magnification(point: Equilibrium, size: number): number {
  let farthest = 0;
  for (let k = 0; k < point.skin_moved.length; k += 3) farthest = Math.max(farthest, Math.hypot(point.skin_moved[k]!, point.skin_moved[k + 1]!, point.skin_moved[k + 2]!));
  const most = farthest > 0 ? Math.min((SHOWN * size) / farthest, MOST) : 1;
  if (!(most > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(most) + 1e-9);
  return power * ([5, 2].find((step) => step * power <= most * (1 + 1e-9)) ?? 1);
}

export class SkinMesh {
  readonly faces: Mesh<BufferGeometry, MeshLambertMaterial>;
  readonly edges: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(readonly source: Skin) {
    const position = new BufferAttribute(source.start.slice(), 3);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", position);
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(source.start.length), 3));
    geometry.setIndex(new BufferAttribute(source.triangles, 1));
    // Faces are pushed back by a little, so that they do not eat the edges that bound them.
    const material = new MeshLambertMaterial({ vertexColors: true, flatShading: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.faces = new Mesh(geometry, material);
    const lines = new BufferGeometry();
    lines.setAttribute("position", position);
    lines.setIndex(new BufferAttribute(source.edges, 1));
    this.edges = new LineSegments(lines, new LineBasicMaterial({ transparent: true }));
    this.edges.renderOrder = 1;
    for (const drawn of [this.faces, this.edges]) drawn.frustumCulled = false;
    this.faces.castShadow = true;
    this.faces.receiveShadow = true;
  }

  /** Puts nodes where an equilibrium has them, with the colours of its stresses. */
  show(point: Equilibrium | null, magnify: number, end: number): void {
    const { position, color } = this.faces.geometry.attributes as { position: BufferAttribute; color: BufferAttribute };
    position.copyArray(skinPlaces(this.source, point, magnify));
    const mixed = new Color();
    for (let node = 0; node < color.count; node++) {
      const rgb = heat(point && end > 0 ? (point.skin_stress[node] ?? 0) / end : 0);
      mixed.setRGB(rgb[0], rgb[1], rgb[2], "srgb").toArray(color.array, 3 * node);
    }
    position.needsUpdate = true;
    color.needsUpdate = true;
  }

  paint(palette: Palette): void {
    this.edges.material.color.setHex(palette.edge);
    this.edges.material.opacity = palette.edgeStrength;
  }

  setSection(planes: Plane[]): void {
    const { material } = this.faces;
    const side = planes.length ? DoubleSide : FrontSide;
    if (material.side !== side) material.needsUpdate = true;
    material.side = side;
    for (const each of [material, this.edges.material]) each.clippingPlanes = planes;
  }

  dispose(): void {
    for (const drawn of [this.faces, this.edges]) {
      drawn.geometry.dispose();
      drawn.material.dispose();
    }
  }
}
