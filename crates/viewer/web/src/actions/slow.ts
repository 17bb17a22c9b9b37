/** Loading slowly: the path is asked for and followed as it comes. */

import { download } from "../download";
import { readStages, stagesText } from "../stages";
import * as state from "../state";
import { batch } from "../store";
import type { BinaryMessage } from "../wire/binary";
import { Superseded } from "../wire/socket";
import type { Equilibrium, EquilibriumHeader, SettleEnd } from "../wire/types";
import { say, socket } from "./server";

function equilibriumOf({ header, arrays }: BinaryMessage): Equilibrium {
  return {
    ...(header as unknown as EquilibriumHeader),
    moved: arrays.moved as Float32Array, opening: arrays.opening as Float32Array, slip: arrays.slip as Float32Array, absent: arrays.absent as Uint8Array,
  };
}

let telling = 0;

/** Shows what has come: the newest equilibrium, unless another was chosen. */
function tellPoints(): void {
  clearTimeout(telling);
  telling = 0;
  const path = state.path.peek();
  if (!path) return;
  const follows = state.pathAt.peek() >= state.pointsSeen.peek();
  batch(() => {
    state.pointsSeen.set(path.points.length);
    if (follows) state.pathAt.set(path.motion ? path.points.length + 1 : path.points.length);
  });
}

/** Settles once no path is followed. */
let ending: Promise<void> = Promise.resolve();
let asks = 0;

export async function loadSlowly(): Promise<void> {
  const turn = ++asks;
  stopPath();
  // The server follows one at a time.
  await ending;
  if (turn !== asks) return;
  const points: Equilibrium[] = [];
  const stages = state.stages.peek();
  const question = socket.ask(
    "settle",
    { situation: { ...state.situation(), tilt: null, loads: [] }, stages: { stages } },
    {
      binary: 2,
      onStarted: (json) => change(question.id, { crack_m: json.crack_m as number }),
      onFrame: (message) => {
        points.push(equilibriumOf(message));
        if (state.path.peek()?.id === question.id) telling ||= window.setTimeout(tellPoints, 120);
      },
    },
  );
  batch(() => {
    state.path.set({ id: question.id, stages, crack_m: 0, points, state: "running", end: null, motion: null, error: null });
    state.pointsSeen.set(0);
    state.pathAt.set(0);
    state.pathPlays.set(false);
    state.playing.set(false);
  });
  ending = question.answer.then(
    () => {},
    () => {},
  );
  try {
    const { json, binary } = await question.answer;
    const end = json as unknown as SettleEnd;
    const motion = binary!.arrays.motion as Float32Array;
    change(question.id, { state: "ended", end, motion: motion.length ? motion : null });
    if (state.path.peek()?.id === question.id) state.announcement.set(end.conclusion);
  } catch (error) {
    // The model was changed meanwhile, and the path left with it.
    if (error instanceof Superseded || state.path.peek()?.id !== question.id) return;
    if (points.length) change(question.id, { state: "ended", error: error instanceof Error ? error.message : String(error) });
    else state.path.set(null);
    say(error);
  }
}

/** Changes the path of a question, if that is still the one on screen. */
function change(id: number, to: Partial<state.SlowPath>): void {
  batch(() => {
    state.path.update((path) => (path?.id === id ? { ...path, ...to } : path));
    if (state.path.peek()?.id === id) tellPoints();
  });
}

export function stopPath(): void {
  const path = state.path.peek();
  if (path && path.state !== "ended") socket.tell("stop", { which: path.id });
}

/** Shows another place of the path. */
export function goTo(place: number): void {
  batch(() => {
    state.pathPlays.set(false);
    state.pathAt.set(place);
  });
}

export function playPath(): void {
  if (!state.path.peek()?.points.length) return;
  if (!state.pathPlays.peek() && state.pathAt.peek() >= state.pointsSeen.peek() && state.path.peek()?.state === "ended") state.pathAt.set(0);
  state.pathPlays.update((on) => !on);
}

export async function openStages(file: File): Promise<void> {
  try {
    state.stages.set(readStages(await file.text()));
  } catch (error) {
    say(new Error(`${file.name} has no stages: ${error instanceof Error ? error.message : String(error)}.`));
  }
}

export const downloadStages = () => download("stages.json", stagesText(state.stages.peek()));
