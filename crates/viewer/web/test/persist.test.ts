import { expect, test, vi } from "vitest";

vi.stubGlobal("BroadcastChannel", class {
  postMessage() {}
  addEventListener() {}
});
const { isTaken, isTuned, tooMany } = await import("../src/persist");
type About = Parameters<typeof tooMany>[0][number];

const about = (id: string, more: Partial<About> = {}): About => ({ id, name: "wall", blocks: 10, faces: 60, changed: true, visit: "v", when: 0, ...more });
const names = (count: number, start: string) => Array.from({ length: count }, (_, k) => `${start}${k}`);

test("the eight newest changes of closed tabs stay, and all of open ones", () => {
  const list = names(12, "t").map((id) => about(id));
  expect(tooMany(list, new Set())).toEqual(["t8", "t9", "t10", "t11"]);
  expect(tooMany(list, new Set(["t0", "t11"]))).toEqual(["t9", "t10"]);
});

test("models without changes push out none that has any", () => {
  const list = [...names(20, "plain").map((id) => about(id, { changed: false })), about("mine")];
  const gone = tooMany(list, new Set());
  expect(gone).toHaveLength(12);
  expect(gone).not.toContain("mine");
});

test("large ones leave room for fewer, but the newest change stays", () => {
  const list = [about("huge", { faces: 600_000 }), about("small"), about("open", { faces: 1e6 })];
  expect(tooMany(list, new Set(["open"]))).toEqual(["small"]);
});

test("a place is taken where a page has written that is neither this one nor the one it took over from", () => {
  expect(isTaken(undefined, "me", undefined)).toBe(false);
  expect(isTaken(about("t"), "me", undefined)).toBe(false);
  for (const [writer, taken] of [["me", false], ["before", false], ["somebody", true]] as const) expect(isTaken(about("t", { writer }), "me", "before")).toBe(taken);
});

test("a recipe is changed by values that are not its own", () => {
  const known = [{ name: "stack", parameters: [{ name: "blocks", default: "10" }, { name: "lean", default: "uniform" }] }];
  const tuned = (values: Record<string, string>, name = "stack") => isTuned({ name, values }, known);
  const own: Record<string, string>[] = [{}, { blocks: "10" }, { blocks: "10.0", lean: "uniform" }];
  const others: Record<string, string>[] = [{ blocks: "9" }, { lean: "harmonic" }, { unknown: "1" }];
  expect(own.map((values) => tuned(values))).toEqual([false, false, false]);
  expect(others.map((values) => tuned(values))).toEqual([true, true, true]);
  expect(tuned({ blocks: "10" }, "no such recipe")).toBe(true);
});
