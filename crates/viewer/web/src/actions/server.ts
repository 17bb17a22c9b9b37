/** The one socket, and how the answers of the server become state. */

import { AS_IN_MODEL, differing, sameStructure } from "../question";
import * as state from "../state";
import { batch } from "../store";
import { type Answer, ServerError, Socket, Superseded } from "../wire/socket";
import type { Geometry, Hello, Model } from "../wire/types";

const token = new URLSearchParams(location.search).get("token") ?? "";

export const PAGE_VERSION = "1";

let whenOpen: () => void = () => {};

export const socket = new Socket(
  `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws?token=${encodeURIComponent(token)}`,
  () => whenOpen(),
  // A server that was started again has another token, and tells so here; a socket that is refused is told nothing.
  () => fetch(exportUrl("none")).then(({ status }) => status === 403, () => false),
);

export function onConnected(begin: () => void): void {
  whenOpen = begin;
}

/** Distinguishes servers: what is stored under another token belongs to an earlier visit. */
export const visit = token;

export const exportUrl = (name: string) => `export/${encodeURIComponent(name)}?token=${encodeURIComponent(token)}`;

export function say(error: unknown): void {
  if (error instanceof Superseded) return;
  const help = error instanceof ServerError ? error.help : null;
  state.notice.set({ tone: "error", text: error instanceof Error ? error.message : String(error), help });
}

/** Asks for something of which there is one answer and no picture; tells failures in the banner and returns null. */
export async function ask<T>(what: string, fields: Record<string, unknown> = {}, says?: string): Promise<T | null> {
  if (says) state.busy.set(says);
  try {
    const question = socket.ask(what, fields, {
      onProgress: (part, text) => state.busy.set(`${says ?? what} ${Math.round(part * 100)} %${text ? ` · ${text}` : ""}`),
    });
    if (says) state.stoppable.set(question.id);
    return (await question.answer).json as T;
  } catch (error) {
    say(error);
    return null;
  } finally {
    if (says) {
      state.busy.set(null);
      state.stoppable.set(null);
    }
  }
}

export async function greet(): Promise<Hello> {
  const { json } = await socket.ask("hello", { version: PAGE_VERSION }).answer;
  const hello = json as unknown as Hello;
  state.hello.set(hello);
  return hello;
}

/** Called before the model is changed: questions about the old one would keep the change waiting. */
let makeWay: () => void = () => {};
/** Called where the change was refused: those questions are wanted after all. */
let unchanged: () => void = () => {};

export function onChange(before: () => void, refused: () => void): void {
  makeWay = before;
  unchanged = refused;
}

/**
 * Asks for something whose answer is a model, and shows it. Throws what the server says. `handedBack` says that the
 * model is the one on screen, which the server had lost.
 */
export async function askModel(what: string, fields: Record<string, unknown>, handedBack = false): Promise<{ model: Model; id: number }> {
  makeWay();
  const question = socket.ask(what, fields, { binary: 1 });
  let answer: Answer;
  try {
    answer = await question.answer;
  } catch (error) {
    if (!(error instanceof Superseded)) unchanged();
    throw error;
  }
  const model = answer.json as unknown as Model;
  const before = state.model.peek();
  accept(model, answer.binary!.arrays as unknown as Geometry, what, handedBack || sameStructure(what, before, model));
  return { model, id: question.id };
}

/** `same` says that it is the structure that was there before, `what` which question it answers. */
type ModelListener = (model: Model, what: string, same: boolean) => void;
const listeners: ModelListener[] = [];

/** Told of every change of the model, before anything is asked about it. */
export function onModel(listener: ModelListener): void {
  listeners.push(listener);
}

function accept(model: Model, geometry: Geometry, what: string, same: boolean): void {
  const before = state.model.peek();
  // Names outlive edits; indices do not.
  const chosen = new Set(before ? [...state.selection.peek()].map((index) => before.blocks[index]?.name) : []);
  for (const listener of listeners) listener(model, what, same);
  // A run is about the model as it was, and the server runs one at a time.
  const run = state.run.peek();
  if (run && run.state !== "ended") socket.tell("stop", { which: run.id });
  batch(() => {
    state.geometry.set(geometry);
    state.model.set(model);
    state.picked.set(null);
    state.check.set(null);
    state.thrust.set(null);
    state.run.set(null);
    state.showRun.set(false);
    state.playing.set(false);
    state.selection.set(
      new Set(same ? model.blocks.flatMap((block, index) => (chosen.has(block.name) ? [index] : [])) : []),
    );
    const names = new Set(model.blocks.map((block) => block.name));
    const keep = (list: string[] | null) => (list && same ? list.filter((name) => names.has(name)) : null);
    const kept = keep(state.only.peek());
    state.only.set(kept?.length ? kept : null);
    state.supports.set(same ? differing(model.blocks, state.supports.peek()) : AS_IN_MODEL);
    state.loadFactors.set(same ? state.loadFactors.peek() : new Map());
    if (!same) {
      state.friction.set(null);
      state.density.set(null);
      state.tiltDeg.set(0);
    }
  });
  if (model.problems.length) {
    if (model.problems.join() !== before?.problems.join()) state.notice.set({ tone: "info", text: model.problems.join("; ") });
  } else if (before?.problems.length) state.notice.set(null);
}
