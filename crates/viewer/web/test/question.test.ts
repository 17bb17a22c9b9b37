import { describe, expect, it } from "vitest";
import { AS_IN_MODEL, differing, factorsOf, sameStructure, supportsAsked, withoutSupports, withSupports } from "../src/question";

const block = (name: string, fixed = false) => ({ name, fixed });
const blocks = [block("base", true), block("side", true), block("a"), block("b")];

describe("supports of a question", () => {
  it("are the model's own where nothing differs", () => {
    expect(supportsAsked(blocks, AS_IN_MODEL)).toBeNull();
    expect(supportsAsked(blocks, { held: ["base", "gone"], released: ["a"] })).toBeNull();
  });
  it("are the model's, with those held and without those released", () => {
    expect(supportsAsked(blocks, { held: ["b"], released: ["side"] })).toEqual(["base", "b"]);
    expect(supportsAsked(blocks, { held: [], released: ["base", "side"] })).toEqual([]);
  });
  it("follow the model when its own supports change", () => {
    const change = withSupports(blocks, AS_IN_MODEL, ["a"], true);
    const renamed = [block("footing", true), ...blocks.slice(1)];
    expect(supportsAsked(renamed, change)).toEqual(["footing", "side", "a"]);
    const freed = [block("base"), ...blocks.slice(1)];
    expect(supportsAsked(freed, change)).toEqual(["side", "a"]);
  });
  it("come back to the model's when held and released again", () => {
    const held = withSupports(blocks, AS_IN_MODEL, ["a", "base"], true);
    expect(held).toEqual({ held: ["a"], released: [] });
    expect(supportsAsked(blocks, withSupports(blocks, held, ["a"], false))).toBeNull();
    expect(withoutSupports({ held: ["a"], released: ["base"] }, ["a", "base"])).toEqual(AS_IN_MODEL);
  });
  it("forget what the model says by itself", () => {
    const fixed = [...blocks.slice(0, 2), block("a", true), block("b")];
    expect(differing(fixed, { held: ["a", "b"], released: ["side", "gone"] })).toEqual({ held: ["b"], released: ["side"] });
  });
});

describe("factors of loads", () => {
  it("leave with their load cases, and are one where nobody said otherwise", () => {
    const factors = new Map([["wind", 1], ["crowd", 2]]);
    expect([...factorsOf(["crowd"], factors)]).toEqual([["crowd", 2]]);
    expect([...factorsOf(["wind", "crowd", "snow"], factors)]).toEqual([["wind", 1], ["crowd", 2], ["snow", 1]]);
  });
});

describe("the same structure", () => {
  const named = (name: string, recipe: string | null, ...names: string[]) => ({ name, recipe: recipe === null ? null : { name: recipe }, blocks: names.map((each) => block(each)) });
  it("stays through edits and new values of its recipe", () => {
    expect(sameStructure("edit", named("arch", "arch", "a"), named("arch", null, "b"))).toBe(true);
    expect(sameStructure("build", named("arch", "arch", "a"), named("arch", "arch", "a", "b"))).toBe(true);
    expect(sameStructure("build", named("arch", null, "a"), named("arch", "arch", "a"))).toBe(false);
  });
  it("is not another one of its name", () => {
    expect(sameStructure("open", named("wall", null, "a"), named("wall", null, "a"))).toBe(false);
    expect(sameStructure("open", null, named("wall", null, "a"))).toBe(false);
  });
  it("is told from an older one when steps are undone", () => {
    expect(sameStructure("undo", named("wall", null, "a", "b", "c"), named("wall", null, "a", "b"))).toBe(true);
    expect(sameStructure("undo", named("wall", null, "a", "b", "c"), named("wall", null, "x", "y"))).toBe(false);
    expect(sameStructure("redo", named("wall", null, "a"), named("arch", null, "a"))).toBe(false);
  });
});
