/** All blocks in one mesh and all their edges in one set of lines, placed by a pose texture. */

import {
  BufferAttribute,
  BufferGeometry,
  FrontSide,
  DoubleSide,
  LineSegments,
  Mesh,
  MeshDepthMaterial,
  MeshLambertMaterial,
  type Plane,
  RGBADepthPacking,
  ShaderMaterial,
  Color,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Geometry } from "../wire/types";
import type { Palette } from "./colors";
import { POSE_GLSL, PoseTexture } from "./poses";
import { RayPicker } from "./raypick";

const EDGE_VERTEX = /* glsl */ `
${POSE_GLSL}
varying float vMark;
#include <clipping_planes_pars_vertex>
void main() {
  vec4 texel = blockTexel(0);
  vMark = blockTexel(2).w;
  vec3 transformed = placed(texel, blockTexel(1), position);
  vec4 mvPosition = modelViewMatrix * vec4(transformed, 1.0);
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}`;

const EDGE_FRAGMENT = /* glsl */ `
uniform vec3 plain;
uniform vec3 marked;
uniform float strength;
varying float vMark;
#include <clipping_planes_pars_fragment>
void main() {
  #include <clipping_planes_fragment>
  gl_FragColor = mix(vec4(plain, strength), vec4(marked, 1.0), vMark);
  #include <colorspace_fragment>
}`;

export class BlockMeshes {
  readonly faces: Mesh<BufferGeometry, MeshLambertMaterial>;
  readonly edges: LineSegments<BufferGeometry, ShaderMaterial>;
  readonly poses: PoseTexture;
  /** What a section cuts away lies behind these. */
  planes: Plane[] = [];
  private made: RayPicker | null = null;
  private readonly capColor = { value: new Color() };

  constructor(
    readonly source: Geometry,
    private readonly blocks: number,
  ) {
    this.poses = new PoseTexture(blocks);
    const uniforms = { poses: { value: this.poses.texture } };
    const shared = {
      position: new BufferAttribute(source.positions, 3),
      normal: new BufferAttribute(source.normals, 3),
      block: new BufferAttribute(Float32Array.from(source.block), 1),
    };

    const geometry = new BufferGeometry();
    for (const [name, attribute] of Object.entries(shared)) geometry.setAttribute(name, attribute);
    geometry.setIndex(new BufferAttribute(source.triangles, 1));
    const placed = (shader: WebGLProgramParametersWithUniforms) => {
      Object.assign(shader.uniforms, uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\n${POSE_GLSL}\nvarying vec3 vBlockColor;`)
        .replace("#include <beginnormal_vertex>", "vec3 objectNormal = turned(blockTexel(1), normal);")
        .replace(
          "#include <begin_vertex>",
          "vec3 transformed = placed(blockTexel(0), blockTexel(1), position);\nvBlockColor = blockTexel(2).rgb;",
        );
    };
    // Faces are pushed back by a little, so that they do not eat the edges that bound them.
    const material = new MeshLambertMaterial({ side: FrontSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, clipShadows: true });
    material.onBeforeCompile = (shader) => {
      placed(shader);
      shader.uniforms.capColor = this.capColor;
      // Where a section opens a block, its far faces are seen from inside; drawn flat they read as the cut itself.
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vBlockColor;\nuniform vec3 capColor;")
        .replace("vec4 diffuseColor = vec4( diffuse, opacity );", "vec4 diffuseColor = vec4( vBlockColor, opacity );")
        .replace(
          "#include <opaque_fragment>",
          "if (!gl_FrontFacing) outgoingLight = capColor;\n#include <opaque_fragment>",
        );
    };
    this.faces = new Mesh(geometry, material);
    this.faces.frustumCulled = false;
    this.faces.castShadow = true;
    this.faces.receiveShadow = true;
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    depth.onBeforeCompile = placed;
    this.faces.customDepthMaterial = depth;

    const lines = new BufferGeometry();
    lines.setAttribute("position", shared.position);
    lines.setAttribute("block", shared.block);
    lines.setIndex(new BufferAttribute(source.edges, 1));
    this.edges = new LineSegments(
      lines,
      new ShaderMaterial({
        uniforms: { ...uniforms, plain: { value: new Color() }, marked: { value: new Color() }, strength: { value: 1 } },
        vertexShader: EDGE_VERTEX,
        fragmentShader: EDGE_FRAGMENT,
        transparent: true,
        depthWrite: false,
        clipping: true,
      }),
    );
    this.edges.frustumCulled = false;
    this.edges.renderOrder = 1;
  }

  /** Made when it is first needed. */
  get picker(): RayPicker {
    return (this.made ??= new RayPicker(this.source, this.blocks));
  }

  paint(palette: Palette): void {
    this.capColor.value.setHex(palette.cap);
    const { plain, marked, strength } = this.edges.material.uniforms;
    (plain!.value as Color).setHex(palette.edge);
    (marked!.value as Color).setHex(palette.selected);
    strength!.value = palette.edgeStrength;
  }

  setOpacity(opacity: number): void {
    const material = this.faces.material;
    const clear = opacity < 1;
    if (material.transparent !== clear) {
      material.transparent = clear;
      material.depthWrite = !clear;
      material.needsUpdate = true;
    }
    material.opacity = opacity;
    this.faces.castShadow = opacity > 0.5;
  }

  setSection(planes: Plane[]): void {
    this.planes = planes;
    const side = planes.length ? DoubleSide : FrontSide;
    if (this.faces.material.side !== side) {
      this.faces.material.side = side;
      this.faces.material.needsUpdate = true;
    }
    for (const material of [this.faces.material, this.edges.material]) material.clippingPlanes = planes;
  }

  dispose(): void {
    this.faces.geometry.dispose();
    this.faces.material.dispose();
    this.faces.customDepthMaterial?.dispose();
    this.edges.geometry.dispose();
    this.edges.material.dispose();
    this.poses.dispose();
  }
}
