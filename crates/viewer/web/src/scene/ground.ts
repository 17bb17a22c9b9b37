/** The ground beneath: a net of lines for scale, and what catches shadows. */

import {
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  LineSegments,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  type Vector3,
} from "three";
import { tickStep } from "../plots/ticks";
import type { Palette } from "./colors";

const GRID_VERTEX = /* glsl */ `
varying vec2 vAt;
void main() { vAt = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

// Lines fade with the distance from the structure, so that the ground has no edge.
const GRID_FRAGMENT = /* glsl */ `
uniform vec3 color;
varying vec2 vAt;
void main() {
  gl_FragColor = vec4(color, 0.9 * (1.0 - smoothstep(0.2, 1.0, length(vAt))));
  #include <colorspace_fragment>
}`;

/** Lines to each side of the middle; together they span from -1 to 1. */
const GRID_LINES = 26;

function gridGeometry(): BufferGeometry {
  const points: number[] = [];
  for (let line = -GRID_LINES; line <= GRID_LINES; line++) {
    const at = line / GRID_LINES;
    // Two halves each: a fade towards both ends needs a point between them to interpolate from.
    points.push(at, -1, 0, at, 0, 0, at, 0, 0, at, 1, 0, -1, at, 0, 0, at, 0, 0, at, 0, 1, at, 0);
  }
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}

/** How far shadows are caught, in radii of the structure. */
const REACH = 4;

export class Ground {
  readonly group = new Group();
  private readonly shadow = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial());
  private readonly grid = new LineSegments(
    gridGeometry(),
    new ShaderMaterial({
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
      uniforms: { color: { value: new Color() } },
      transparent: true,
      depthWrite: false,
    }),
  );

  constructor() {
    this.shadow.receiveShadow = true;
    this.group.add(this.shadow, this.grid);
  }

  paint(palette: Palette): void {
    this.shadow.material.color.setHex(palette.floor);
    this.shadow.material.opacity = palette.floorShadow;
    (this.grid.material.uniforms.color!.value as Color).setHex(palette.grid);
  }

  place(center: Vector3, radius: number, height: number): void {
    // A little lower than what stands on it, or the two would flicker.
    const z = height - 1e-3 * radius;
    this.shadow.scale.setScalar(2 * REACH * radius);
    this.shadow.position.set(center.x, center.y, z);
    // Squares of 1, 2 or 5 times a power of ten metres.
    const spacing = tickStep(radius, 8);
    this.grid.scale.setScalar(spacing * GRID_LINES);
    this.grid.position.set(Math.round(center.x / spacing) * spacing, Math.round(center.y / spacing) * spacing, z);
  }
}
