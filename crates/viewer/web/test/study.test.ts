import { describe, expect, it } from "vitest";
import { layoutOf, linearAxis, linePath, logAxis, marksPath, nextOf, roomy, spotsAt } from "../src/plots/layout";
import { fact, outcomeOf, parametersOf, progressWords, resultsOf, rowsWith } from "../src/study";
import type { Chart, ChartSeries, StudyRow } from "../src/wire/types";

const series = (more: Partial<ChartSeries>): ChartSeries => ({ name: "", mark: "points", points: [], runs: [], ...more });
const chart = (all: ChartSeries[], more: Partial<Chart> = {}): Chart => ({ name: "c", title: "c", x: "time (s)", y: "force (N)", log_x: false, y_range: null, series: all, ...more });

describe("axes", () => {
  it("have room beside what is drawn, but none below zero where nothing is", () => {
    expect(roomy([2, 4])).toEqual([1.9, 4.1]);
    expect(roomy([0, 10])).toEqual([0, 10.5]);
    expect(roomy([-1, 1])).toEqual([-1.1, 1.1]);
    const [least, most] = roomy([7]);
    expect(least).toBeLessThan(7);
    expect(most).toBeGreaterThan(7);
    expect(roomy([0])).toEqual([0, 1]);
    expect(roomy([])).toEqual([0, 1]);
  });
  it("put values between their edges in proportion", () => {
    const axis = linearAxis([0, 10], [40, 240], 5);
    expect([0, 5, 10].map(axis.place)).toEqual([40, 140, 240]);
    expect(axis.ticks.map(({ label }) => label)).toEqual(["0", "2", "4", "6", "8", "10"]);
    expect([axis.has(10), axis.has(10.1)]).toEqual([true, false]);
  });
  it("by powers of ten give each power the same length", () => {
    const axis = logAxis([0.01, 100], [0, 400], 6);
    const steps = [0.01, 0.1, 1, 10, 100].map(axis.place);
    for (let k = 1; k < steps.length; k++) expect(steps[k]! - steps[k - 1]!).toBeCloseTo(steps[1]! - steps[0]!, 9);
    expect(axis.ticks.map(({ at }) => at)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(logAxis([1, 8], [0, 400], 6).ticks.map(({ label }) => label)).toEqual(["1", "2", "5"]);
    expect([axis.has(0), axis.has(-1)]).toEqual([false, false]);
    // Nothing that can be drawn is no reason to fail.
    expect(logAxis([0, -3], [0, 400], 6).ticks.length).toBeGreaterThan(0);
  });
});

describe("charts", () => {
  it("draw what is a number, and inside the range that is asked for", () => {
    const all = chart([series({ points: [[1, 0.5], [2, null], [null, 1], [3, 7]], runs: ["a", "b", "c", "d"] })], { y_range: [0, 1] });
    const { drawn, spots, field } = layoutOf(all, 400, 260);
    expect(drawn[0]!.at).toHaveLength(1);
    expect(spots.map(({ runs }) => runs)).toEqual([["a"]]);
    expect(spots[0]!.y).toBeCloseTo((field.top + field.bottom) / 2, 9);
    // Lines go on beyond the range, where they are cut off.
    expect(layoutOf(chart([series({ mark: "line", points: [[1, 0.5], [3, 7]] })], { y_range: [0, 1] }), 400, 260).drawn[0]!.at).toHaveLength(2);
    const logs = layoutOf(chart([series({ mark: "line", points: [[0, 1], [1, 1], [10, 2]] })], { log_x: true }), 400, 260);
    expect(logs.drawn[0]!.at).toHaveLength(2);
  });
  it("keep everything within the picture, whatever its size", () => {
    const all = chart([series({ points: [[0, 0], [1e-3, 2e6], [0.5, -3e5]], runs: ["a", "b", "c"] })]);
    for (const [width, height] of [[240, 180], [375, 250], [800, 300]] as const)
      for (const { x, y } of layoutOf(all, width, height).spots) {
        expect(x).toBeGreaterThan(0);
        expect(x).toBeLessThan(width);
        expect(y).toBeGreaterThan(0);
        expect(y).toBeLessThan(height);
      }
    expect(layoutOf(chart([]), 300, 200).spots).toEqual([]);
  });
  it("tell series apart: what falls and what stands by colour, marks by shape", () => {
    const { drawn } = layoutOf(
      chart(["collapse, +", "friction 0.5: stands, -", "hull", "", "pseudo-static"].map((name, k) => series({ name, mark: k < 2 ? "points" : k < 4 ? "line" : "reference", points: [[k, k]] }))),
      300, 200,
    );
    expect(drawn.map(({ color }) => color)).toEqual(["chart-falls", "chart-stands", "chart-0", "chart-0", "chart-reference"]);
    expect(drawn.map(({ shape }) => shape)).toEqual(["dot", "ring", null, null, null]);
  });
  it("keep the two directions of an impulse beside each other, and single curves faint behind their median", () => {
    const at: [number, number][] = [[1, 1]];
    const { drawn } = layoutOf(
      chart([series({ name: "collapse, +", mark: "filled_right", points: at }), series({ name: "stands, -", mark: "hollow_left", points: at }), series({ name: "", mark: "faint", points: at }), series({ name: "50 %", mark: "line", points: at })]),
      300, 200,
    );
    expect(drawn.map(({ color }) => color)).toEqual(["chart-falls", "chart-stands", "chart-faint", "chart-0"]);
    expect(drawn.map(({ shape }) => shape)).toEqual(["filled_right", "hollow_left", null, null]);
    // Each begins on its own side of the place and bulges away from it.
    expect(marksPath("filled_right", [[10, 5]])).toMatch(/^M10\.0 5\.0m1 .* 0 0 1 0 /);
    expect(marksPath("hollow_left", [[10, 5]])).toMatch(/^M10\.0 5\.0m-1 .* 0 0 0 0 /);
  });
  it("find the points under the pointer, one after another where several are at one place", () => {
    const at: [number, number][] = [[1, 1], [3, 2]];
    const both = layoutOf(chart([series({ name: "+", points: at, runs: ["a", "b"] }), series({ name: "-", points: at, runs: ["c", "d e"] })]), 400, 260).spots;
    expect(both.map(({ runs }) => runs)).toEqual([["a"], ["c"], ["b"], ["d", "e"]]);
    const there = spotsAt(both, both[0]!.x + 6, both[0]!.y - 5);
    expect(there).toEqual([0, 1]);
    expect([null, "a", "c", "b"].map((chosen) => nextOf(both, there, chosen))).toEqual([0, 1, 0, 0]);
    expect(spotsAt(both, both[0]!.x + 40, both[0]!.y)).toEqual([]);
    expect(nextOf(both, [], "a")).toBe(null);
    expect(both[3]!.says).toBe("-: time (s) 3.000, force (N) 2.000");
  });
  it("mark the places on lines that runs stand behind, where there are any", () => {
    const { drawn, spots } = layoutOf(chart([series({ mark: "reference", points: [[0, 0], [1, 1], [2, 3]], runs: ["", "a", "b"] })]), 400, 260);
    expect(drawn[0]!.knots).toEqual(drawn[0]!.at.slice(1));
    expect(spots.map(({ says }) => says)).toEqual(["time (s) 1.000, force (N) 1.000", "time (s) 2.000, force (N) 3.000"]);
  });
  it("are paths: a line from point to point, a mark around each", () => {
    expect(linePath([[1, 2], [3, 4]])).toBe("M1.0 2.0L3.0 4.0");
    for (const shape of ["dot", "ring", "square", "diamond", "triangle", "cross"] as const) expect(marksPath(shape, [[1, 2], [3, 4]]).match(/M/g)).toHaveLength(2);
  });
});

describe("studies in words", () => {
  it("say how far they are", () => {
    const now = { runs: 80, done: 23, failed: 0, complete: false };
    expect(progressWords(now)).toBe("23 of 80 runs have ended. New ones appear by themselves.");
    expect(progressWords({ ...now, failed: 2 })).toContain("have ended, 2 failed.");
    expect(progressWords({ ...now, done: 80, complete: true })).toBe("All 80 runs have ended.");
    expect(progressWords({ runs: 1, done: 1, failed: 1, complete: true })).toBe("The run has ended, 1 failed.");
  });
  it("list the runs with all words that are looked for, of those that are meant", () => {
    const row = (run: string, label: string, says: string): StudyRow => ({ run, label, says, falls: null, failed: false, wall_s: 1 });
    const rows = [row("a", "+0.4 g for 0.2 s", "collapses at 1 s"), row("b", "+0.4 g for 0.6 s", "stands still"), row("c", "-0.4 g for 0.6 s", "collapses at 2 s")];
    const found = (wanted: string, among: string[] | null = null) => rowsWith(rows, wanted, among && new Set(among)).map(({ run }) => run);
    expect(found("")).toEqual(["a", "b", "c"]);
    expect(found("0.6 COLLAPSES")).toEqual(["c"]);
    expect(found("collapses", ["a", "b"])).toEqual(["a"]);
  });
  it("tell how a run came out", () => {
    expect([{ falls: true, failed: false }, { falls: false, failed: false }, { falls: null, failed: false }, { falls: null, failed: true }].map(outcomeOf)).toEqual(["falls", "stands", "none", "failed"]);
  });
  it("write fields with the units that their names end in", () => {
    expect(fact("half_period_s", 0.6)).toEqual(["Half period", "0.6000 s"]);
    expect(fact("max_displacement_m", 0.0123)).toEqual(["Max displacement", "12.3 mm"]);
    expect(fact("critical_tilt_deg", 8.246)).toEqual(["Critical tilt", "8.246°"]);
    expect(fact("final_speed_m_s", 2)).toEqual(["Final speed", "2.00 m/s"]);
    expect(fact("proven", true)).toEqual(["Proven", "yes"]);
    expect(fact("status", "falls_upright")).toEqual(["Status", "falls upright"]);
    expect(fact("unstable_blocks", ["a", "b"])).toEqual(["Unstable blocks", "a, b"]);
    // What only looks like a unit is part of the name.
    expect(fact("steps", 376)).toEqual(["Steps", "376"]);
    expect(fact("record_s", "x")).toEqual(["Record s", "x"]);
  });
  it("begin with what matters for the kind of run, and leave nothing out", () => {
    const result = { steps: 376, collapse: "global", ended: "it collapsed" };
    const { first, others } = resultsOf({ asks: "simulate", result });
    expect(first.map(([name]) => name)).toEqual(["Ended", "Collapse"]);
    expect(others).toEqual([["Steps", "376"]]);
    expect(parametersOf({ variant: "", friction: 0.5 })).toEqual([["Friction", "0.5000"]]);
  });
});
