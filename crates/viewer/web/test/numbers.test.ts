import { afterEach, describe, expect, it } from "vitest";
import { type Column, cells, csvOf, sorted } from "../src/columns";
import { length, mass, place, pressure, shown, together } from "../src/format";
import { type Pose, parted, polygon } from "../src/numbers";
import { quaternionOf } from "../src/scene/geometry";
import { countOf, mechanismJoints } from "../src/scene/hinges";
import { JointIndex, distanceTo, seamAt } from "../src/scene/jointpick";
import { fieldUnit, units } from "../src/units";
import type { Geometry, Model, Vec3 } from "../src/wire/types";

describe("units of display", () => {
  afterEach(() => units.set("auto"));

  it("are those of the system, whatever the size", () => {
    expect([length(0.25), shown("area", 0.5), mass(2500)]).toEqual(["250 mm", "0.500 m²", "2.50 t"]);
    units.set("mm-n");
    expect([length(1.5), shown("force", 24525), pressure(49100), shown("area", 0.5)]).toEqual(["1500 mm", "24525 N", "0.0491 MPa", "500000 mm²"]);
    units.set("m-kn");
    expect([length(0.25), shown("force", 24525), pressure(2.5e6)]).toEqual(["0.250 m", "24.5 kN", "2500 kPa"]);
    units.set("imperial");
    // One foot is 0.3048 m and a pound 0.45359237 kg, exactly.
    expect([length(0.3048), length(0.0254), mass(0.45359237 * 2), shown("force", 4448.2216152605)]).toEqual(["1.00 ft", "1.00 in", "2.00 lb", "1.00 kip"]);
    expect(shown("density", 2000)).toBe("125 lb/ft³");
    expect(pressure(6894.757293168)).toBe("1.00 psi");
  });

  it("are one for what belongs together, and fixed for fields", () => {
    expect(together("length", [1, 0.5, 0.25], " × ")).toBe("1.00 × 0.500 × 0.250 m");
    expect(place([0.1234, -1e-9, 2])).toBe("0.123, 0, 2 m");
    expect([fieldUnit("length").name, fieldUnit("force").name]).toEqual(["m", "N"]);
    units.set("mm-n");
    expect(place([0.1234, 0, 2])).toBe("123, 0, 2000 mm");
    units.set("imperial");
    expect([fieldUnit("length").name, fieldUnit("force").name]).toEqual(["ft", "lbf"]);
  });
});

describe("a joint", () => {
  const square: Vec3[] = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]];
  const still = (at: Vec3): Pose => ({ at, turn: [0, 0, 0, 1] });

  it("has the area and the middle of its polygon", () => {
    expect(polygon(square)).toEqual({ area: 2, centre: [1, 0.5, 0] });
    const l: Vec3[] = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [1, 1, 0], [1, 2, 0], [0, 2, 0]];
    expect(polygon(l).area).toBeCloseTo(3);
    expect(polygon(l).centre[0]).toBeCloseTo((1 * 2 + 0.5 * 1) / 3);
  });

  it("opens by its width times the sine where the upper block turns about an edge, and slips where it slides", () => {
    const centers: [Vec3, Vec3] = [[1, 0.5, -1], [1, 0.5, 1]];
    const angle = 0.1;
    // About the edge x = 0: positive about -y.
    const turn = quaternionOf([0, -1, 0], angle);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const turned: Pose = { at: [1 * c - 1 * s, 0.5, 1 * s + 1 * c], turn };
    const rocked = parted(square, [0, 0, 1], centers, [still(centers[0]), turned]);
    expect(rocked.opening).toBeCloseTo(2 * s, 9);
    expect(rocked.slip).toBeCloseTo(2 * (1 - c), 9);
    const slid = parted(square, [0, 0, 1], centers, [still(centers[0]), still([1.3, 0.5, 1])]);
    expect(slid).toEqual({ opening: 0, slip: expect.closeTo(0.3, 9) });
    // Both together is no opening.
    const both = parted(square, [0, 0, 1], centers, [still([5, 5, 4]), still([5, 5, 6])]);
    expect([both.opening, both.slip]).toEqual([expect.closeTo(0), expect.closeTo(0)]);
  });
});

/** A cube on a cube: one joint of 1 by 1 at height 0. */
const geometry = {
  joint_corners: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
  joint_start: Uint32Array.of(0, 4),
  joint_blocks: Uint32Array.of(0, 1),
  joint_normals: Float32Array.of(0, 0, 1),
} as Pick<Geometry, "joint_corners" | "joint_start" | "joint_blocks" | "joint_normals">;
const model = { blocks: [{ center: [0.5, 0.5, -0.5] }, { center: [0.5, 0.5, 0.5] }] } as unknown as Model;

describe("a mechanism", () => {
  it("that tips a block has a hinge along the edge it turns about", () => {
    // Angular velocity about -y through x = 0: the centre moves by omega cross r.
    const [joint] = mechanismJoints(model, geometry, [0, 0, 0, 0, 0, 0, -0.5, 0, 0.5, 0, -1, 0], [0.6]);
    expect(joint).toMatchObject({ turns: true, slides: false });
    expect(joint!.hinge).toHaveLength(2);
    expect(joint!.hinge.every(([x]) => x === 0)).toBe(true);
    expect(countOf([joint!])).toEqual({ hinges: 1, slides: 0, opens: 0 });
  });

  it("that slides a block up its friction does not open the joint, one that lifts it does", () => {
    const slides = mechanismJoints(model, geometry, [0, 0, 0, 0, 0, 0, 1, 0, 0.6, 0, 0, 0], [0.6]);
    expect(countOf(slides)).toEqual({ hinges: 0, slides: 1, opens: 0 });
    const lifts = mechanismJoints(model, geometry, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [0.6]);
    expect(countOf(lifts)).toEqual({ hinges: 0, slides: 0, opens: 1 });
    expect(mechanismJoints(model, geometry, [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [0.6])).toEqual([]);
  });
});

describe("the seam of a joint", () => {
  it("is met from within reach of its outline, on the block that was met", () => {
    const index = new JointIndex(geometry, 2);
    expect([...index.of(0)]).toEqual([0]);
    const hit = (point: Vec3) => ({ block: 0, face: 0, point, normal: [0, -1, 0] as Vec3 });
    const pose = [0.5, 0.5, -0.5, 0, 0, 0, 0, 1];
    expect(seamAt(index, model, hit([0.5, 0, -0.02]), pose, 0.03)).toBe(0);
    expect(seamAt(index, model, hit([0.5, 0, -0.05]), pose, 0.03)).toBeNull();
    // It goes along with its block.
    expect(seamAt(index, model, hit([3.5, 0, -0.02]), [3.5, 0.5, -0.5, 0, 0, 0, 0, 1], 0.03)).toBe(0);
    expect(distanceTo([2, 1, 0], [0, 0, 0], [1, 0, 0])).toBeCloseTo(Math.SQRT2);
  });
});

describe("tables", () => {
  const rows = [{ name: "b10", n: 2500 }, { name: "b9", n: null }, { name: "b2", n: 40 }];
  type Row = (typeof rows)[number];
  const name: Column<Row> = { id: "name", label: "Name", kind: "text", value: (row) => row.name };
  const force: Column<Row> = { id: "n", label: "Force", kind: "force", value: (row) => row.n };

  it("sort numbers as numbers, names by the numbers in them, and what is unknown last", () => {
    expect(sorted(rows, force, false).map((row) => row.n)).toEqual([40, 2500, null]);
    expect(sorted(rows, force, true).map((row) => row.n)).toEqual([2500, 40, null]);
    expect(sorted(rows, name, false).map((row) => row.name)).toEqual(["b2", "b9", "b10"]);
  });

  it("have one unit for a column, and SI units in files", () => {
    const { head, text } = cells(force, rows);
    expect([head, ...rows.map(text)]).toEqual(["Force (kN)", "2.50", "–", "0.0400"]);
    expect(csvOf([name, force], [{ name: 'a "b", c', n: 2500.5 }])).toBe('name,n_n\n"a ""b"", c",2500.5\n');
  });
});
