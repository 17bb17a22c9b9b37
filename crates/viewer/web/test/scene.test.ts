import { PerspectiveCamera, Plane, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { Framer, keptHalf } from "../src/scene/fit";
import { loadArrows, loadsNow } from "../src/scene/loads";
import { PoseTexture } from "../src/scene/poses";
import { RayPicker } from "../src/scene/raypick";
import { tieLines } from "../src/scene/ties";
import { kindOf, tieWords } from "../src/ties";
import { narrow } from "../src/ui/controls";
import type { LoadForce, Model } from "../src/wire/types";

/** Points as a camera sees them that stands where the framing says: largest distance from the middle, across and along. */
function seen(points: Vector3[], from: Vector3, aspect: number): { across: number; along: number } {
  const framer = new Framer(from, Math.tan(Math.PI / 12), aspect);
  for (const { x, y, z } of points) framer.add(x, y, z);
  const { target, distance } = framer.perspective();
  const camera = new PerspectiveCamera(30, aspect, 0.01, 1000);
  camera.up.set(0, 0, 1);
  camera.position.copy(target).addScaledVector(from, distance);
  camera.lookAt(target);
  camera.updateMatrixWorld();
  const on = points.map((point) => point.clone().project(camera));
  return { across: Math.max(...on.map((p) => Math.abs(p.x))), along: Math.max(...on.map((p) => Math.abs(p.y))) };
}

const box = (x: number, y: number, z: number) =>
  Array.from({ length: 8 }, (_, k) => new Vector3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z));

describe("fitting into the view", () => {
  it("leaves the margin on the side that is tight, in every direction and shape of the view", () => {
    for (const from of [new Vector3(0, -1, 0), new Vector3(0.55, -1, 0.42).normalize(), new Vector3(0, -1e-4, 1).normalize()])
      for (const aspect of [0.5, 1, 2.4])
        for (const points of [box(5, 0.3, 1), box(0.2, 0.2, 4), box(1, 6, 1)]) {
          const { across, along } = seen(points, from, aspect);
          expect(Math.max(across, along)).toBeCloseTo(0.88, 3);
        }
  });
  it("takes in what lies far from the middle", () => {
    const points = [...box(1, 1, 1), new Vector3(30, 0, -4)];
    const { across, along } = seen(points, new Vector3(0.5, -1, 0.4).normalize(), 1.5);
    expect(Math.max(across, along)).toBeCloseTo(0.88, 3);
  });
  it("is exact in parallel views", () => {
    const framer = new Framer(new Vector3(0, -1, 0), 0.3, 2);
    for (const { x, y, z } of box(4, 1, 1)) framer.add(x, y, z);
    // Half the width, 4, is 88 % of half the picture's.
    expect(framer.parallel().half * 2 * 0.88).toBeCloseTo(4);
  });
  it("keeps what was seen when the view gets narrower, and gives it back", () => {
    expect(keptHalf(1, 2, 1)).toBe(2);
    expect(keptHalf(1, 2, 4)).toBe(1);
    expect(keptHalf(1, 2, 2)).toBe(1);
  });
});

/** Two unit squares across z, one a block, facing up. */
const squares = {
  positions: Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0),
  normals: Float32Array.from({ length: 24 }, (_, k) => (k % 3 === 2 ? 1 : 0)),
  triangles: Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7),
  face: Uint32Array.of(0, 0, 3, 3),
  block: Uint32Array.of(0, 0, 0, 0, 1, 1, 1, 1),
};

describe("picking", () => {
  const poses = new PoseTexture(2);
  poses.setPose(0, 0, 0, 0, 0, 0, 0, 1);
  poses.setPose(1, 0, 0, 2, 0, 0, 0, 1);
  const picker = new RayPicker(squares, 2);
  const down = new Vector3(0, 0, -2);

  it("meets the block that is nearer, and its face", () => {
    const hit = picker.meet(new Vector3(0.5, 0.2, 10), down, poses);
    expect(hit).toMatchObject({ block: 1, face: 3 });
    expect(hit!.along).toBeCloseTo(4);
    expect(hit!.normal.z).toBeCloseTo(1);
    expect(picker.meet(new Vector3(1.5, 0, 10), down, poses)).toBeNull();
  });
  it("goes through what a section cuts away", () => {
    const below = new Plane(new Vector3(0, 0, -1), 1);
    expect(picker.meet(new Vector3(0.5, 0.2, 10), down, poses, [below])).toMatchObject({ block: 0, face: 0 });
  });
  it("follows poses", () => {
    const turned = new PoseTexture(2);
    const q = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
    turned.setPose(0, 5, 0, 0, q.x, q.y, q.z, q.w);
    turned.setPose(1, 50, 0, 0, 0, 0, 0, 1);
    const hit = picker.meet(new Vector3(0, 0.5, 0.5), new Vector3(1, 0, 0), turned);
    expect(hit).toMatchObject({ block: 0 });
    expect(hit!.along).toBeCloseTo(5);
    expect(hit!.normal.x).toBeCloseTo(1);
  });
});

describe("loads", () => {
  const forces: LoadForce[] = [
    { case: "snow", block: "b", at: [1, 0, 1], force_n: [0, 0, -1000] },
    { case: "wind", block: "a", at: [0, 0, 0], force_n: [500, 0, 0] },
  ];
  const model = { blocks: [{ name: "a", center: [0, 0, 0] }, { name: "b", center: [1, 0, 0] }] } as unknown as Model;

  it("are those that are asked about, times their factors", () => {
    expect(loadsNow(undefined, new Map([["snow", 1]]))).toEqual([]);
    expect(loadsNow(forces, new Map([["snow", 0]]))).toEqual([]);
    expect(loadsNow(forces, new Map([["snow", 2]]))).toEqual([{ ...forces[0], force_n: [0, 0, -2000] }]);
  });
  it("end where they act, the largest longest, and go along with their blocks", () => {
    const poses = new PoseTexture(2);
    const rest = loadArrows(model, forces, (block) => poses.pose(block), 1, 7);
    // The texture has both blocks at the origin yet: the arm of the first load is (0, 0, 1).
    const head = ({ at, vector }: (typeof rest)[number]) => at.map((each, k) => each + vector[k]!);
    expect(head(rest[0]!)[2]).toBeCloseTo(1);
    expect(rest[0]!.vector[2]).toBeCloseTo(-0.24);
    expect(rest[1]!.vector[0]).toBeCloseTo(0.12);
    const q = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
    poses.setPose(1, 5, 0, 0, q.x, q.y, q.z, q.w);
    const moved = loadArrows(model, forces.slice(0, 1), (block) => poses.pose(block), 1, 7);
    const [x, , z] = head(moved[0]!);
    expect(x).toBeCloseTo(6);
    expect(z).toBeCloseTo(0);
    // A load keeps its direction.
    expect(moved[0]!.vector[2]).toBeCloseTo(-0.24);
  });
});

describe("ties", () => {
  const end = (block: string, x: number) => ({ block, at: [x, 0, 0] as [number, number, number] });
  const block = (name: string, x: number) => ({ name, center: [x, 0, 0] });
  const tie = { name: "chain", from: end("a", 1), to: end("b", 3), kind: kindOf("tie", 10, 0, 50, 0) };
  const model = { blocks: [block("a", 0), block("b", 4)], ties: [tie] } as unknown as Model;

  it("go along with their blocks", () => {
    const poses = new PoseTexture(2);
    poses.setPose(0, 0, 0, 0, 0, 0, 0, 1);
    poses.setPose(1, 4, 0, 2, 0, 0, 0, 1);
    expect(tieLines(model, (which) => poses.pose(which)).map(({ pairs }) => pairs)).toEqual([[1, 0, 0, 3, 0, 2]]);
  });

  it("are told in the units of model files, and in words", () => {
    expect(tie.kind).toEqual({ tie: { stiffness_n_m: 1e7, yield_n: 5e4 } });
    expect(kindOf("rigid_rod", 1, 1, 1, 1)).toBe("rigid_rod");
    expect(tieWords(tie)).toBe("chain: tie rod, yields at 50.0 kN");
  });
});

describe("narrow fields", () => {
  it("show as much as fits and never round what stands before the point", () => {
    expect(narrow(-0.273541)).toBe("-0.2735");
    expect(narrow(-12345)).toBe("-12345");
    expect(narrow(1234567.8)).toBe("1234568");
    expect(narrow(0.1)).toBe("0.1");
    expect(narrow(-0.00012345)).toBe("-0.0001");
    expect(Number(narrow(1e150))).toBe(1e150);
    expect(narrow(0)).toBe("0");
  });
});
