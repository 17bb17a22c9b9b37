import { describe, expect, it } from "vitest";
import { crackLines, poseOnPath } from "../src/scene/path";
import { magnification, skinPlaces, stressEnd } from "../src/scene/skin";
import { curveKinds, curveOf, movable, outcome, placeWords, readStages, reordered, stageWords, stagesText } from "../src/stages";
import type { Equilibrium, Geometry, Model, Vec3 } from "../src/wire/types";

const point = (more: Partial<Equilibrium>): Equilibrium => ({
  stage: 0, done: 1, gravity: 1, loads: {}, tilt_deg: [0, 0, 0], max_displacement_m: 0, along_loads_m: 0,
  open_joints: 0, slipped_joints: 0, max_opening_m: 0, max_slip_m: 0, bonds: 0, broken_bonds: 0,
  moved: new Float32Array(6), opening: new Float32Array(1), slip: new Float32Array(1), absent: new Uint8Array(0), skin_moved: new Float32Array(0), skin_stress: new Float32Array(0), ...more,
});

describe("surfaces of blocks that deform", () => {
  const skin = { start: Float32Array.of(1, 2, 3, 4, 5, 6), block: Uint32Array.of(0, 1), triangles: new Uint32Array(0), edges: new Uint32Array(0) };

  it("are where they were before any load, then displaced as often as is asked; blocks that are not there are in one point", () => {
    expect([...skinPlaces(skin, null, 50)]).toEqual([1, 2, 3, 4, 5, 6]);
    const moved = point({ skin_moved: Float32Array.of(0.5, 0, 0, 0, 0, -0.25) });
    expect([...skinPlaces(skin, moved, 4)]).toEqual([3, 2, 3, 4, 5, 5]);
    expect([...skinPlaces(skin, { ...moved, absent: Uint8Array.of(0, 1) }, 1)]).toEqual([1.5, 2, 3, 0, 0, 0]);
  });

  it("are displaced by some hundredths of the size of the structure, and never by less than they are", () => {
    const by = (u: number) => magnification(point({ skin_moved: Float32Array.of(u, 0, 0) }), 10);
    expect([by(1e-6), by(2.9e-3), by(0.2), by(0), by(1e-12)]).toEqual([2e5, 100, 1, 1, 1e6]);
  });

  it("have one scale of stresses for a whole path", () => {
    expect(stressEnd([point({ stress_scale_pa: 2e4 }), point({ stress_scale_pa: 5e4 }), point({})])).toBe(5e4);
    expect(stressEnd([point({})])).toBe(0);
  });
});

describe("stages", () => {
  it("are told in words; in the first the weight comes by itself", () => {
    expect(stageWords({ name: "weight" }, 0)).toBe("Full weight");
    expect(stageWords({ loads: { truck: 2 } }, 1)).toBe("Load truck × 2");
    expect(stageWords({ tilt: { axis: [0, -1, 0], angle_deg: 5 } }, 2)).toBe("Tilted to 5° about −y");
    expect(stageWords({ move: [{ blocks: ["pier"], by: [0, 0, -0.05] }] }, 1)).toBe("Pier moved by -50.0 mm along z");
    expect(stageWords({ remove: ["centring"], shrinkage_m: 0.0005 }, 1)).toBe("Centring removed; joints shrunk by 500 µm");
    expect(stageWords({ gravity: 0.5, control: { block: "a", direction: [1, 0, 0], to_m: 0.01 }, loads: { push: 1 } }, 1)).toMatch(/^Weight × 0.5; load push as found; a moved by 10.0 mm$/);
    expect(stageWords({}, 1)).toBe("Nothing changes");
  });

  it("go into a file and come back as they were, with what the page has no fields for", () => {
    const stages = [{ name: "weight", steps: 10 }, { build: ["upper"], move: [{ blocks: ["a"], turn_deg: [0, 1, 0] as Vec3, about: [1, 2, 3] as Vec3 }] }];
    expect(readStages(stagesText(stages))).toEqual(stages);
    expect(JSON.parse(stagesText(stages))).toEqual({ stages });
    for (const wrong of ["{", "[]", "null", '{"stages": []}', '{"stages": [1]}', '{"stages": {"a": 1}}']) expect(() => readStages(wrong)).toThrow(/JSON|stages/);
  });

  it("are reordered", () => {
    expect(reordered(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
    expect(reordered(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  });

  it("move groups that are supports altogether, and single supports", () => {
    const blocks = [{ name: "a", group: "piers" }, { name: "b", group: "piers" }, { name: "c", group: "deck" }, { name: "d", group: "deck" }, { name: "e", group: null }];
    const fixed = new Set(["a", "b", "c"]);
    expect(movable(blocks, (name) => fixed.has(name))).toEqual(["piers", "a", "b", "c"]);
  });
});

describe("a path", () => {
  it("is plotted as load over displacement where loads act, else as tilt or progress", () => {
    const path = [
      point({ done: 1, max_displacement_m: 1e-3 }),
      point({ stage: 1, done: 0.5, loads: { truck: 1 }, along_loads_m: 0.002, max_displacement_m: 4e-3 }),
      point({ stage: 1, done: 1, loads: { truck: 2 }, along_loads_m: 0.005, max_displacement_m: 9e-3 }),
    ];
    expect(curveKinds(path).map(({ value }) => value)).toEqual(["load truck", "progress"]);
    expect(curveOf(path, "load truck")).toMatchObject({ x: [0.002, 0.005], y: [1, 2], index: [1, 2] });
    expect(curveOf(path, "progress")).toMatchObject({ x: [1, 1.5, 2], y: [1e-3, 4e-3, 9e-3] });
    const tilted = [point({ tilt_deg: [0, 3, 4], max_displacement_m: 1e-3 })];
    expect(curveKinds(tilted).map(({ value }) => value)).toEqual(["tilt", "progress"]);
    expect(curveOf(tilted, "tilt")).toMatchObject({ x: [1e-3], y: [5] });
    expect(curveKinds([]).map(({ value }) => value)).toEqual(["progress"]);
  });

  it("is told by stage and part, and by how it ended", () => {
    expect(placeWords([{ name: "weight" }, {}], { stage: 1, done: 0.5 })).toBe("50.0\u00a0% of stage 2");
    expect(outcome({ end: null, error: null }).verdict).toBe("none");
    expect(outcome({ end: { end: "completed" }, error: null })).toEqual({ word: "Stands through all stages", verdict: "stable" });
    const ends_in: [string, [number, number]] = ["tilt", [0.545, 0.546]];
    expect(outcome({ end: { end: "no_equilibrium", ends_in, no_forces: true }, error: null })).toEqual({ word: "No equilibrium beyond 54.5\u00a0% of tilt", verdict: "unstable" });
    expect(outcome({ end: { end: "no_equilibrium", ends_in, no_forces: false }, error: null })).toEqual({ word: "No equilibrium found beyond 54.5\u00a0% of tilt", verdict: "undecided" });
    expect(outcome({ end: null, error: "no" }).verdict).toBe("error");
  });

  it("moves blocks by their displacements, as often as asked, and then along what follows", () => {
    const moved = new Float32Array([0.001, 0, -0.002, 0, 0.01, 0]);
    const [at, turn] = poseOnPath([1, 2, 3], 0, point({ moved }), 100, null, 0);
    expect(at.map((each) => Number(each.toFixed(5)))).toEqual([1.1, 2, 2.8]);
    // A hundred times a rotation of 0.01 about y is one of 1.
    expect(turn[1]).toBeCloseTo(Math.sin(0.5), 5);
    expect(turn[3]).toBeCloseTo(Math.cos(0.5), 5);
    const motion = new Float32Array([1, 0, 0, 0, 0.5, 0]);
    const [further, both] = poseOnPath([1, 2, 3], 0, point({ moved }), 100, motion, 2);
    expect(further[0]).toBeCloseTo(3.1, 5);
    // Rotations about one axis add up: 1 and 1.
    expect(both[1]).toBeCloseTo(Math.sin(1), 5);
    expect(poseOnPath([1, 2, 3], 0, null, 100, null, 0)).toEqual([[1, 2, 3], [0, 0, 0, 1]]);
    expect(poseOnPath([1, 2, 3], 0, point({ absent: new Uint8Array([1]) }), 1, null, 0)[0][2]).toBeLessThan(-1e6);
  });

  it("marks joints from a width on, where their first blocks are, in the colour of what is larger", () => {
    const model = { blocks: [{ center: [0, 0, 0] }, { center: [0, 0, 1] }] } as unknown as Model;
    const geometry = {
      joint_corners: new Float32Array([0, 0, 0.5, 1, 0, 0.5, 1, 1, 0.5, 0, 0, 0.5, 1, 0, 0.5, 1, 1, 0.5]),
      joint_start: new Uint32Array([0, 3, 6]), joint_blocks: new Uint32Array([0, 1, 0, 1]),
    } as unknown as Geometry;
    // The first block has moved by 2 along x.
    const pose = () => [2, 0, 0, 0, 0, 0, 0, 1];
    const at = point({ opening: new Float32Array([0.004, 0]), slip: new Float32Array([0.001, 0.0005]), max_opening_m: 0.004, max_slip_m: 0.001 });
    const lines = crackLines(model, geometry, at, 1e-4, pose);
    expect(lines.map(({ what }) => what).sort()).toEqual(["opening", "slip"]);
    const [opening, slip] = ["opening", "slip"].map((what) => lines.find((each) => each.what === what)!);
    expect(opening!.width).toBeGreaterThan(slip!.width);
    expect(opening!.pairs.slice(0, 6)).toEqual([2, 0, 0.5, 3, 0, 0.5]);
    expect(opening!.pairs).toHaveLength(18);
    expect(crackLines(model, geometry, at, 0.001, pose).map(({ what }) => what)).toEqual(["opening"]);
  });
});
