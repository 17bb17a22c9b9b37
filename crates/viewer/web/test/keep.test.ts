import { beforeEach, expect, test, vi } from "vitest";

const { remember } = vi.hoisted(() => ({ remember: vi.fn() }));
vi.mock("../src/persist", () => ({ remember }));
vi.mock("../src/tab", () => {
  let id = "tab";
  let next = 0;
  const unused = () => `unused-${++next}`;
  return { unused, tabId: () => id, others: async () => new Set(), becomeAnother: () => (id = unused()) };
});

const state = await import("../src/state");
const { Places } = await import("../src/actions/places");
const { goOnWith, storageFails, warnOfStorage, write } = await import("../src/actions/write");
type About = Parameters<typeof write>[0];
type Kept = Parameters<typeof write>[1];

warnOfStorage();

const about = (id: string, writer?: string): About => ({ id, name: "wall", blocks: 1, faces: 6, changed: true, visit: "v", when: 0, ...(writer !== undefined && { writer }) });
const kept = (model: unknown): Kept => ({ model, recipe: null, beside: "", run: null });
const written = (id: string, model: unknown) => new Promise<void>((done) => write(about(id), kept(model), done));

beforeEach(async () => {
  remember.mockReset();
  remember.mockResolvedValue("kept");
  await written("tab", 0);
  remember.mockClear();
  state.notice.set(null);
});

test("a write that throws is one that failed, and the next is written", async () => {
  remember.mockRejectedValueOnce(new Error("no locks"));
  await written("tab", 1);
  expect(storageFails.peek()).toBe(true);
  await written("tab", 2);
  expect(remember).toHaveBeenCalledTimes(2);
  expect(storageFails.peek()).toBe(false);
});

test("that storage fails is told once the banner is free, taken back when it works, and told again", async () => {
  const other = { tone: "info" as const, text: "something else" };
  state.notice.set(other);
  remember.mockResolvedValue("failed");
  await written("tab", 1);
  expect(state.notice.peek()).toBe(other);
  state.notice.set(null);
  expect(state.notice.peek()?.text).toMatch(/stores nothing/);
  // Once dismissed it stays away while nothing has changed.
  state.notice.set(null);
  await written("tab", 2);
  expect(state.notice.peek()).toBe(null);
  remember.mockResolvedValue("kept");
  await written("tab", 3);
  remember.mockResolvedValue("failed");
  await written("tab", 4);
  expect(state.notice.peek()?.text).toMatch(/stores nothing/);
  remember.mockResolvedValue("kept");
  await written("tab", 5);
  expect(state.notice.peek()).toBe(null);
});

test("of what waits under one id the newest is written, and what another id waits for as well", async () => {
  const ids: string[] = [];
  remember.mockImplementation(async ({ id }: About, { model }: Kept) => (ids.push(`${id} ${model}`), "kept"));
  write(about("one"), kept(1), () => {});
  write(about("one"), kept(2), () => {});
  write(about("two"), kept(3), () => {});
  await written("two", 4);
  expect(ids).toEqual(["one 1", "one 2", "two 4"]);
});

test("where another page has written since, this one goes on under another id, until it takes over", async () => {
  const places: string[] = [];
  const takenBy = (writer: string) =>
    remember.mockImplementation(async ({ id }: About, _: Kept, seen?: string) => {
      if (id === "tab" && seen !== writer) return "taken";
      places.push(id);
      return "kept";
    });
  takenBy("somebody");
  await written("tab", 1);
  await written("tab", 2);
  expect(places[0]).toMatch(/^unused/);
  expect(places).toEqual([places[0], places[0]]);
  goOnWith(about("tab", "somebody"));
  await written("tab", 3);
  expect(places[2]).toBe("tab");
});

const place = (id: string, changed = false) => ({ id, changed });

test("going back goes back to the id, and a new change ends what was undone", () => {
  const places = new Places();
  places.push(0, place("a"));
  places.push(1, place("a", true));
  places.push(2, place("b"));
  expect(places.at(1)).toEqual(place("a", true));
  places.go(1, place("a", true));
  expect(places.at(2)).toEqual(place("b"));
  places.push(2, place("c"));
  places.rename("a", "d");
  expect([0, 1, 2, 3].map((undo) => places.at(undo)?.id)).toEqual(["d", "d", "c", undefined]);
});

test("steps that the server has given up shift the others, and a new connection begins anew", () => {
  const places = new Places();
  for (const [undo, id] of ["a", "b", "c"].entries()) places.push(undo, place(id));
  places.push(2, place("d"));
  expect([0, 1, 2].map((undo) => places.at(undo)?.id)).toEqual(["b", "c", "d"]);
  places.go(1, place("c"));
  places.push(0, place("e"));
  expect([0, 1].map((undo) => places.at(undo)?.id)).toEqual(["e", undefined]);
});
