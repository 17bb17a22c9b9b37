/** Renderer, cameras, light and ground. Draws when asked to, never by itself. */

import {
  type Box3,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  MathUtils,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Palette } from "./colors";
import { Framer, keptHalf } from "./fit";
import { Ground } from "./ground";

export type StandardView = "three-quarter" | "front" | "side" | "top" | "back" | "left" | "bottom";

/** From where each view looks; `top` and `bottom` lean by a hair, since orbiting needs a direction that is not up. */
const VIEWS: Record<StandardView, Vector3> = {
  "three-quarter": new Vector3(0.55, -1, 0.42),
  front: new Vector3(0, -1, 0),
  side: new Vector3(1, 0, 0),
  top: new Vector3(0, -1e-4, 1),
  back: new Vector3(0, 1, 0),
  left: new Vector3(-1, 0, 0),
  bottom: new Vector3(0, -1e-4, -1),
};

const FIELD_DEG = 32;
const TANGENT = Math.tan(MathUtils.degToRad(FIELD_DEG / 2));

/** What the view is to show: `add` is called with points that bound it, in the world. */
export interface Content {
  points(add: (x: number, y: number, z: number) => void): void;
}

export interface Viewpoint {
  at: [number, number, number];
  target: [number, number, number];
  /** Half the height of what is seen there, in metres. */
  half: number;
}

export class Stage {
  readonly scene = new Scene();
  /** What turns when the structure is tilted. */
  readonly world = new Group();
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly pixels = new Vector2();
  private readonly perspective = new PerspectiveCamera(FIELD_DEG, 1, 0.01, 1000);
  private readonly ortho = new OrthographicCamera(-1, 1, 1, -1, 0.01, 1000);
  private readonly sky = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly ground = new Ground();
  private readonly sphere = new Sphere(new Vector3(), 1);
  /** How far from the structure's middle things are drawn. */
  private reach = 1;
  private content: Content | null = null;
  /** Whether the eye is where the last fit put it. */
  private fitted = false;
  private placing = false;
  /** What a person looks at, from before the view changed its shape. */
  private kept: { half: number; aspect: number } | null = null;
  private waiting = 0;
  private readonly before: (() => void)[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));

    for (const camera of [this.perspective, this.ortho]) camera.up.set(0, 0, 1);
    this.perspective.position.copy(VIEWS["three-quarter"]).multiplyScalar(10);
    this.controls = new OrbitControls(this.perspective, canvas);
    this.controls.addEventListener("change", () => {
      if (!this.placing) this.moved();
      this.requestRender(false);
    });
    this.controls.zoomToCursor = true;

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.world, this.sky, this.sun, this.sun.target);

    this.scene.add(this.ground.group);
    canvas.addEventListener("webglcontextrestored", () => this.requestRender());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.controls.object as PerspectiveCamera | OrthographicCamera;
  }

  /** `act` runs before every picture. */
  beforeRender(act: () => void): void {
    this.before.push(act);
  }

  /** `moved` tells whether anything but the eye did: only then are shadows drawn again. */
  requestRender(moved = true): void {
    if (moved) this.renderer.shadowMap.needsUpdate = true;
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.render();
    });
  }

  render(): void {
    for (const act of this.before) act();
    this.depthRange();
    this.renderer.render(this.scene, this.camera);
  }

  paint(palette: Palette): void {
    this.scene.background = new Color(palette.background);
    this.sky.color.setHex(palette.sky);
    this.sky.groundColor.setHex(palette.earth);
    this.sky.intensity = palette.skyStrength;
    this.sun.intensity = palette.sunStrength;
    this.ground.paint(palette);
    this.requestRender();
  }

  /** Tells how large the structure is: light, ground and camera follow. */
  setBounds(box: Box3, floor: number): void {
    const before = this.sphere.radius;
    box.getBoundingSphere(this.sphere);
    const { center, radius } = this.sphere;
    if (radius !== before) this.reach = 4 * radius;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new Vector3(-0.5, -1, 1.05).normalize().multiplyScalar(3 * radius));
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.4 * radius;
    camera.right = camera.top = 1.4 * radius;
    camera.near = radius;
    camera.far = 5 * radius;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
    this.ground.place(center, radius, floor);
    this.requestRender();
  }

  get radius(): number {
    return this.sphere.radius;
  }

  look(view: StandardView): void {
    this.fit(VIEWS[view]);
  }

  /** Tells what is to be seen; asked at every fit. */
  setContent(content: Content): void {
    this.content = content;
  }

  /** Whether nobody moved the eye since the last fit. */
  get untouched(): boolean {
    return this.fitted;
  }

  /** Where the content lies in the picture, from -1 to 1: least and most across, least and most up. */
  extent(): [number, number, number, number] {
    this.updateCamera();
    const at = new Vector3();
    const found: [number, number, number, number] = [Infinity, -Infinity, Infinity, -Infinity];
    this.content?.points((x, y, z) => {
      at.set(x, y, z).project(this.camera);
      found[0] = Math.min(found[0], at.x);
      found[1] = Math.max(found[1], at.x);
      found[2] = Math.min(found[2], at.y);
      found[3] = Math.max(found[3], at.y);
    });
    return found;
  }

  /** Brings all of it into view, along `way` or along the present direction. */
  fit(way?: Vector3): void {
    const from = (way ?? this.camera.position.clone().sub(this.controls.target)).clone().normalize();
    const framer = new Framer(from, TANGENT, this.perspective.aspect);
    const { center } = this.sphere;
    let reach = 4 * this.sphere.radius;
    this.content?.points((x, y, z) => {
      framer.add(x, y, z);
      reach = Math.max(reach, Math.abs(x - center.x) + Math.abs(y - center.y) + Math.abs(z - center.z));
    });
    if (framer.empty) return;
    this.reach = reach;
    const { target, distance, half } = this.camera === this.ortho ? framer.parallel() : framer.perspective();
    this.place(() => {
      this.controls.target.copy(target);
      this.camera.position.copy(target).addScaledVector(from, distance);
      this.setHalf(half);
    });
    this.fitted = true;
    this.requestRender(false);
  }

  /** Where a point of the world is seen, in pixels from the upper left corner. */
  toPixels(point: Vector3): Vector2 {
    const at = point.clone().project(this.camera);
    return new Vector2(((at.x + 1) / 2) * this.pixels.x, ((1 - at.y) / 2) * this.pixels.y);
  }

  /** What a pixel measures at a point of the world. */
  metresPerPixel(point: readonly [number, number, number]): number {
    const half = this.camera === this.ortho ? this.half : this.camera.position.distanceTo(new Vector3(...point)) * TANGENT;
    return (2 * half) / this.pixels.y;
  }

  /** Where the eye is, to be looked from again. */
  get viewpoint(): Viewpoint {
    return { at: this.camera.position.toArray(), target: this.controls.target.toArray(), half: this.half };
  }

  set viewpoint({ at, target, half }: Viewpoint) {
    this.place(() => {
      this.controls.target.fromArray(target);
      this.camera.position.fromArray(at);
      this.setHalf(half);
    });
    this.moved();
    this.requestRender(false);
  }

  /** Turns the eye about what it looks at: `around` the vertical, `down` from it, in radians. */
  orbit(around: number, down: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target).applyAxisAngle(this.camera.up, around);
    const polar = Math.min(Math.max(offset.angleTo(this.camera.up) + down, 1e-3), Math.PI - 1e-3);
    const flat = offset.clone().setZ(0).normalize();
    offset.copy(flat.multiplyScalar(Math.sin(polar)).setZ(Math.cos(polar)).multiplyScalar(offset.length()));
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.moved();
    this.requestRender(false);
  }

  /** Brings the eye to `by` times its distance. */
  zoom(by: number): void {
    if (this.camera === this.ortho) {
      this.ortho.zoom /= by;
      this.ortho.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).multiplyScalar(by).add(this.controls.target);
    }
    this.controls.update();
    this.moved();
    this.requestRender(false);
  }

  setOrtho(on: boolean): void {
    const next = on ? this.ortho : this.perspective;
    const now = this.camera;
    if (next === now) return;
    const target = this.controls.target;
    const half = this.half;
    const way = now.position.clone().sub(target).normalize();
    this.place(() => {
      this.controls.object = next;
      next.position.copy(target).addScaledVector(way, half / TANGENT);
      this.setHalf(half);
    });
    if (this.fitted) this.fit();
    this.requestRender(false);
  }

  /** A picture of the view as it is, PNG. */
  picture(): string {
    // The drawing buffer is only sure to hold the picture within the call that drew it.
    this.render();
    return this.canvas.toDataURL("image/png");
  }

  /** Someone moved the eye: it stays theirs until the next fit. */
  private moved(): void {
    this.fitted = false;
    this.kept = null;
  }

  private place(act: () => void): void {
    this.placing = true;
    act();
    this.controls.update();
    this.placing = false;
    this.kept = null;
  }

  /** Half the height of what is seen at the distance of the target. */
  private get half(): number {
    return this.camera === this.ortho ? this.ortho.top / this.ortho.zoom : this.camera.position.distanceTo(this.controls.target) * TANGENT;
  }

  private setHalf(half: number): void {
    const aspect = this.perspective.aspect;
    this.ortho.left = -half * aspect;
    this.ortho.right = half * aspect;
    this.ortho.top = half;
    this.ortho.bottom = -half;
    this.ortho.zoom = 1;
    this.ortho.updateProjectionMatrix();
  }

  /** Brings matrices up to date before the next picture does. */
  updateCamera(): void {
    this.depthRange();
    this.camera.updateMatrixWorld();
  }

  private depthRange(): void {
    const camera = this.camera;
    const distance = camera.position.distanceTo(this.sphere.center);
    const reach = this.reach;
    if (camera === this.perspective) {
      camera.near = Math.max(distance - reach, 0.02 * this.sphere.radius);
      camera.far = distance + reach;
    } else {
      // A parallel view may stand inside the structure and must still show what is behind its eye.
      camera.near = -2 * reach - distance;
      camera.far = distance + 2 * reach;
    }
    camera.updateProjectionMatrix();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.pixels.set(clientWidth, clientHeight);
    const before = this.perspective.aspect;
    const half = this.half;
    this.perspective.aspect = clientWidth / clientHeight;
    this.perspective.updateProjectionMatrix();
    if (this.fitted) this.fit();
    else this.keepSeen(half, before);
    this.render();
  }

  /** All that was seen stays seen; a view that gets its old shape back gets its old picture back. */
  private keepSeen(half: number, aspectBefore: number): void {
    const kept = this.kept ?? { half, aspect: aspectBefore };
    const next = keptHalf(kept.half, kept.aspect, this.perspective.aspect);
    const { target } = this.controls;
    this.place(() => {
      if (this.camera === this.perspective) this.camera.position.sub(target).setLength(next / TANGENT).add(target);
      this.setHalf(next);
    });
    this.kept = kept;
  }
}
