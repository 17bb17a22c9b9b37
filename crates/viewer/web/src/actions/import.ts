/** Files of other programs: what was found in them, what they leave open, and what a person says about that. */

import { signal } from "../store";
import type { Given, Imported } from "../wire/types";
import { say, socket } from "./server";

export interface Importing {
  /** What is imported, in words. */
  name: string;
  given: Given;
  found: Imported;
  /** The longest side in units of the file. */
  units: number;
  /** Whether `found` is about other assumptions than `given`. */
  waiting: boolean;
}

/** The import that waits for a person; null where none does. */
export const importing = signal<Importing | null>(null);

const AS_READ: Given = { unit_m: 1, up: "z", supports: "as_read", joint_distance_m: null };
/** Longer structures are drawn in millimetres rather than in metres. */
const LONGEST_M = 200;

let decide: (given: Given | null) => void = () => {};

const look = async (fields: Record<string, unknown>) => (await socket.ask("import", fields).answer).json as unknown as Imported;

/** What to begin with: as the file has it, but for a size that is none in metres, and supports where it has none. */
export function firstGuess(found: Pick<Imported, "size_m" | "fixed_as_read">): Given {
  const longest = Math.max(...(found.size_m ?? [0]));
  return { ...AS_READ, unit_m: longest > LONGEST_M ? 1e-3 : 1, supports: found.fixed_as_read > 0 ? "as_read" : "lowest" };
}

/** Reads files, or one of the folder, and asks what they do not say. What to open them with; null where a person would rather not. */
export async function importAsked(name: string, what: Record<string, unknown>): Promise<Given | null> {
  const found = await look({ ...what, given: AS_READ });
  if (!found.asks) return AS_READ;
  const given = firstGuess(found);
  const units = Math.max(...(found.size_m ?? [0]));
  // One at a time: files dropped onto a question take its place.
  decide(null);
  const decided = new Promise<Given | null>((resolve) => (decide = resolve));
  importing.set({ name, given, found, units, waiting: false });
  if (JSON.stringify(given) !== JSON.stringify(AS_READ)) assume({});
  return decided;
}

let looking = false;

/** Changes what is assumed, and looks again: the newest assumptions win. */
export function assume(change: Partial<Given>): void {
  const now = importing.peek();
  if (!now) return;
  importing.set({ ...now, given: { ...now.given, ...change }, waiting: true });
  if (!looking) void lookAgain();
}

async function lookAgain(): Promise<void> {
  looking = true;
  try {
    for (let asked: Given | null = null; importing.peek() && importing.peek()!.given !== asked; ) {
      asked = importing.peek()!.given;
      const found = await look({ given: asked });
      importing.update((now) => now && { ...now, found, waiting: now.given !== asked });
    }
  } catch (error) {
    say(error);
    end(null);
  } finally {
    looking = false;
  }
}

function end(given: Given | null): void {
  importing.set(null);
  decide(given);
  decide = () => {};
}

export const acceptImport = (): void => end(importing.peek()?.given ?? null);
export const refuseImport = (): void => end(null);
