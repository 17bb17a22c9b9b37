import { describe, expect, it } from "vitest";
import { force, length, mass, pressure, roughly, significant, stepWords, time, words } from "../src/format";
import { rowsOf } from "../src/panels/blocks";
import { hasEffect, sliderRange } from "../src/panels/range";
import { headline, sentence } from "../src/panels/verdict";
import { extent } from "../src/plots/plot";
import { prefixed, tickLabel, ticks, tickStep } from "../src/plots/ticks";
import { cividis, viridis } from "../src/scene/colors";
import { quaternionOf } from "../src/scene/geometry";
import { chosen } from "../src/scene/pointer";
import { PoseTexture } from "../src/scene/poses";
import { batch, derived, effect, signal } from "../src/store";
import { dialAngle, dialValue } from "../src/ui/dial";
import type { Parameter } from "../src/wire/types";

describe("numbers", () => {
  it("carry the unit that people would choose", () => {
    expect(force(23849.6)).toBe("23.8 kN");
    expect(mass(84120)).toBe("84.1 t");
    expect(length(0.0123)).toBe("12.3 mm");
    expect(pressure(0)).toBe("0 Pa");
    expect(force(null)).toBe("–");
  });
  it("keep their significant digits", () => {
    expect(significant(0.000012345)).toBe("1.23e-5");
    expect(significant(123.456)).toBe("123");
    expect(words("critical-tilt")).toBe("Critical tilt");
  });
  it("of steps have two digits", () => {
    expect(["2.134e-5", "1e-4", "0.01", "2.1e-6"].map((s) => time(Number(s)))).toEqual(["21 µs", "100 µs", "10 ms", "2.1 µs"]);
    expect(roughly(48321)).toBe(48000);
    expect(stepWords("explicit", 2.134e-5)).toBe("Explicit steps of 21 µs");
    expect(stepWords("implicit", 0)).toBe("Implicit steps");
  });
});

describe("ticks", () => {
  it("are round and within the axis", () => {
    expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
    expect(ticks(-0.3, 0.3, 4)).toContain(0);
    expect(tickStep(37, 5)).toBe(10);
    expect(tickStep(0, 5)).toBe(1);
  });
  it("have the decimals of their step", () => {
    expect(tickLabel(0.6000000000000001, 0.2)).toBe("0.6");
    expect(tickLabel(1500, 500)).toBe("1500");
    expect(prefixed("m", 0.0123)).toEqual({ scale: 1e3, unit: "mm" });
  });
  it("leave room above what is drawn, and always show zero", () => {
    const [least, most] = extent([{ name: "", style: 0, values: [2, 5] }]);
    expect(least).toBe(0);
    expect(most).toBeGreaterThan(5);
    expect(extent([])).toEqual([0, 1]);
  });
});

describe("colour scales", () => {
  it("grow lighter from end to end, as people who see no hue need it", () => {
    for (const scale of [viridis, cividis]) {
      let before = -1;
      for (let t = 0; t <= 1; t += 0.1) {
        const [r, g, b] = scale(t);
        const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        expect(light).toBeGreaterThan(before);
        before = light;
      }
    }
  });
  it("end at their ends for whatever lies beyond", () => {
    expect(viridis(7)).toEqual(viridis(1));
    expect(viridis(Number.NaN)).toEqual(viridis(0));
  });
});

describe("geometry", () => {
  it("quaternions are of length one, whatever the axis", () => {
    expect(Math.hypot(...quaternionOf([0, 0, 3], 1))).toBeCloseTo(1);
    expect(quaternionOf([0, 0, 0], 1)).toEqual([0, 0, 0, 1]);
  });
});

describe("dial", () => {
  it("has its zero on top and reads back what it shows", () => {
    expect(dialAngle(0, -45, 45)).toBe(0);
    expect(dialValue(0, -10, -45, 45)).toBeCloseTo(0);
    const angle = (dialAngle(20, -45, 45) * Math.PI) / 180;
    expect(dialValue(Math.sin(angle), -Math.cos(angle), -45, 45)).toBeCloseTo(20);
  });
  it("stops at its ends", () => expect(dialValue(0.01, 10, -45, 45)).toBe(45));
});

describe("slider ranges", () => {
  const parameter = (fields: Partial<Parameter>): Parameter => ({ name: "a", help: "", unit: "m", default: "2", kind: "number", least: 1e-6, most: 1e5, ...fields });
  it("lie around the default where all sizes are allowed", () => {
    const { least, most, step } = sliderRange(parameter({}));
    expect(least).toBeGreaterThan(0);
    expect(least).toBeLessThanOrEqual(0.5);
    expect(most).toBe(6);
    expect(step).toBeGreaterThan(0);
  });
  it("are as allowed where that is narrow", () => {
    expect(sliderRange(parameter({ default: "90", unit: "deg", least: 10, most: 180 }))).toMatchObject({ least: 10, most: 180 });
  });
  it("are whole for counts", () => {
    const { least, most, step } = sliderRange(parameter({ default: "5", kind: "integer", unit: "", least: 1, most: 1000 }));
    expect([least, step]).toEqual([1, 1]);
    expect(Number.isInteger(most)).toBe(true);
  });
});

describe("parameters that have an effect under some values of others", () => {
  const valueOf = (values: Record<string, string>) => (name: string) => values[name] ?? "";
  it("need all that they name", () => {
    const needs = [{ parameter: "columns", above: 1 }, { parameter: "entablature", one_of: ["true"] }];
    expect(hasEffect(needs, valueOf({ columns: "2", entablature: "true" }))).toBe(true);
    expect(hasEffect(needs, valueOf({ columns: "1", entablature: "true" }))).toBe(false);
    expect(hasEffect(needs, valueOf({ columns: "2", entablature: "false" }))).toBe(false);
    expect(hasEffect([{ parameter: "offset", not: 0 }], valueOf({ offset: "0.0" }))).toBe(false);
    expect(hasEffect([{ parameter: "offset", not: 0 }], valueOf({ offset: "-0.1" }))).toBe(true);
  });
  it("and always have one where they need nothing", () => {
    expect(hasEffect([], valueOf({}))).toBe(true);
    expect(hasEffect(undefined, valueOf({}))).toBe(true);
  });
});

describe("selection", () => {
  it("is one block on a click, none on empty space, more with Shift", () => {
    expect([...chosen(new Set([1]), 2, false)]).toEqual([2]);
    expect([...chosen(new Set([1]), null, false)]).toEqual([]);
    expect([...chosen(new Set([1]), 2, true)]).toEqual([1, 2]);
    expect([...chosen(new Set([1, 2]), 2, true)]).toEqual([1]);
  });
  it("is listed by group", () => {
    const block = (name: string, group: string | null) => ({ name, group, mass_kg: 1, fixed: false });
    const rows = rowsOf([block("a", "arch"), block("b", "wall"), block("c", "arch")], "");
    expect(rows.map((row) => row.label)).toEqual(["arch", "a", "c", "wall", "b"]);
    expect(rows[0]!.blocks).toEqual([0, 2]);
    expect(rowsOf([block("a", "arch"), block("b", "wall")], "wal").map((row) => row.label)).toEqual(["wall", "b"]);
  });
});

describe("signals", () => {
  it("tell their readers once a batch", () => {
    const a = signal(1);
    const b = signal(2);
    const seen: number[] = [];
    const stop = effect(() => void seen.push(a() + b()));
    batch(() => {
      a.set(10);
      b.set(20);
    });
    stop();
    a.set(0);
    expect(seen).toEqual([3, 30]);
  });
  it("made of others change only when the value does", () => {
    const a = signal(1);
    const odd = derived(() => a() % 2 === 1);
    let runs = 0;
    effect(() => {
      odd();
      runs++;
    });
    a.set(3);
    a.set(4);
    expect(runs).toBe(2);
  });
});

describe("poses", () => {
  it("mix halfway along the shorter turn", () => {
    const poses = new PoseTexture(1);
    const half = Math.SQRT1_2;
    poses.mixPoses(0, Float32Array.of(0, 0, 0, 0, 0, 0, 1), Float32Array.of(2, 0, 0, 0, 0, -half, -half), 0.5);
    const pose = poses.pose(0);
    expect(pose[0]).toBe(1);
    expect(2 * Math.asin(pose[6]!)).toBeCloseTo(Math.PI / 4);
    expect(Math.hypot(pose[4]!, pose[5]!, pose[6]!, pose[7]!)).toBeCloseTo(1);
  });
});

describe("verdicts", () => {
  it("open with what is known where the method asked is undecided", () => {
    expect(headline({ verdict: "stable", headline: "It stands" })).toBe("Stands");
    expect(headline({ verdict: "undecided", headline: "Equilibrium is proven" })).toBe("Equilibrium is proven");
  });
  it("tell problems of the geometry as sentences", () => {
    expect(sentence("614 pairs of blocks overlap")).toBe("614 pairs of blocks overlap.");
    expect(sentence("`a` touches nothing.")).toBe("`a` touches nothing.");
  });
});
