/** The one socket, and how the answers of the server become state. */

import type { About } from "../persist";
import { AS_IN_MODEL, differing, sameStructure } from "../question";
import * as state from "../state";
import { batch } from "../store";
import type { Held } from "../tab";
import { type Answer, ServerError, Socket, Superseded } from "../wire/socket";
import type { Geometry, Hello, Model } from "../wire/types";
import type { Place } from "./places";

/** 32 bits of it: enough to tell one from another, too few to find it. */
export function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

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

/** Distinguishes servers: what is stored under another belongs to an earlier visit. What is stored must not let anybody in. */
export const visit = digest(token);

export const exportUrl = (name: string) => `export/${encodeURIComponent(name)}?token=${encodeURIComponent(token)}`;

export function say(error: unknown): void {
  if (error instanceof Superseded) return;
  const help = error instanceof ServerError ? error.help : null;
  state.notice.set({ tone: "error", text: error instanceof Error ? error.message : String(error), help });
}

/** Asks for something of which there is one answer and no picture; tells failures in the banner and returns null. */
export async function ask<T>(what: string, fields: Record<string, unknown> = {}, says?: string): Promise<T | null> {
  if (says) state.busy.set(says);
  let id = 0;
  try {
    const question = socket.ask(what, fields, {
      onProgress: (part, text) => state.busy.set(`${says ?? what} ${Math.round(part * 100)} %${text ? ` · ${text}` : ""}`),
    });
    id = question.id;
    if (says) state.stoppable.set(id);
    return (await question.answer).json as T;
  } catch (error) {
    say(error);
    return null;
  } finally {
    // Another may have been asked meanwhile: then that is what goes on.
    if (says && (state.stoppable.peek() ?? id) === id) {
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

/** How a model comes that is not simply asked for. */
export interface Given {
  /** It is the one on screen, which the server had lost: where that is kept. */
  handedBack?: Place;
  /** It was kept, and is restored. */
  restored?: About;
  /** The id under which it is kept, where nobody else holds that. */
  held?: Held | null;
  /** What it takes the place of stays kept, whether changed or not. */
  apart?: boolean;
  /** Throws where the server's answer is not what was wanted: then it is not shown. */
  check?: () => Promise<void>;
}

let turns: Promise<unknown> = Promise.resolve();

/**
 * Does one thing after another. Changes of the model take turns, so that each is shown, and asked for to be kept, before
 * the server is told the next. Whatever `act` waits for must end when the connection does.
 */
export function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const mine = turns.then(act);
  turns = mine.catch(() => {});
  return mine;
}

/** Counts the structures that were shown. */
let structures = 0;

/** Asks for a change of the model on screen, and shows it. Throws what the server says. */
export function askModel(what: string, fields: Record<string, unknown>): Promise<{ model: Model; id: number }> {
  const about = structures;
  return inTurn(async () => {
    // It was meant for blocks that are no longer there, though others may have their names.
    if (what === "edit" && about !== structures) throw new Superseded();
    return askModelNow(what, fields);
  });
}

/** Asks for something whose answer is a model, and shows it; for who has the turn. Throws what the server says. */
export async function askModelNow(what: string, fields: Record<string, unknown>, given: Given = {}): Promise<{ model: Model; id: number }> {
  makeWay();
  const question = socket.ask(what, fields, { binary: 1 });
  let answer: Answer;
  try {
    answer = await question.answer;
    await given.check?.();
  } catch (error) {
    if (!(error instanceof Superseded)) unchanged();
    throw error;
  }
  const model = answer.json as unknown as Model;
  const held = given.held ?? (await keeper?.reach(model, what)) ?? null;
  const same = given.handedBack !== undefined || sameStructure(what, state.model.peek(), model);
  if (!same) structures++;
  keeper?.keep(model, what, same, { ...given, held });
  accept(model, answer.binary!.arrays as unknown as Geometry, same);
  return { model, id: question.id };
}

/** What a model without supports offers. */
let fixes: () => { label: string; run: () => void } | undefined = () => undefined;
export const offerFixes = (offer: typeof fixes): void => void (fixes = offer);

interface Keeper {
  /** The id under which the model was kept that undoing has come back to, where it is another than this tab's. */
  reach(model: Model, what: string): Promise<Held | null>;
  /** `same` says that it is the structure that was there before, `what` which question it answers. */
  keep(model: Model, what: string, same: boolean, given: Given): void;
}

let keeper: Keeper | null = null;

/** Told of every change of the model, before anything is asked about it. */
export function keepWith(it: Keeper): void {
  keeper = it;
}

/** `same` says that it is the structure that was there before. */
function accept(model: Model, geometry: Geometry, same: boolean): void {
  const before = state.model.peek();
  // Names outlive edits; indices do not.
  const chosen = new Set(before ? [...state.selection.peek()].map((index) => before.blocks[index]?.name) : []);
  // A run is about the model as it was, and the server runs one at a time.
  const run = state.run.peek();
  if (run && run.state !== "ended") socket.tell("stop", { which: run.id });
  const path = state.path.peek();
  if (path && path.state !== "ended") socket.tell("stop", { which: path.id });
  batch(() => {
    state.geometry.set(geometry);
    state.model.set(model);
    state.picked.set(null);
    state.check.set(null);
    state.margins.set([]);
    state.shownMargin.set(null);
    state.thrust.set(null);
    state.run.set(null);
    state.showRun.set(false);
    state.playing.set(false);
    state.path.set(null);
    state.pathPlays.set(false);
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
      state.frictionFactor.set(null);
      state.density.set(null);
      state.tiltDeg.set(0);
      state.stages.set(state.hello.peek()?.slow_loading.stages ?? []);
      state.crackFrom.set(null);
      state.magnify.set(1);
    }
  });
  if (model.problems.length) {
    if (model.problems.join() !== before?.problems.join()) state.notice.set({ tone: "info", text: model.problems.join("; "), action: model.blocks.some(({ fixed }) => fixed) ? undefined : fixes() });
  } else if (before?.problems.length) state.notice.set(null);
}
