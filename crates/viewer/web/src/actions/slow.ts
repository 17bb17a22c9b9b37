/** Loading slowly: the path is asked for and followed as it comes. */

import { Vector3 } from "three";
import { download } from "../download";
import { freeBounds } from "../scene/place";
import { magnification } from "../scene/skin";
import { readStages, stagesText } from "../stages";
import * as state from "../state";
import { batch } from "../store";
import type { BinaryMessage } from "../wire/binary";
import { Superseded } from "../wire/socket";
import type { Equilibrium, EquilibriumHeader, SettleEnd, Skin } from "../wire/types";
import { say, socket } from "./server";

function equilibriumOf({ header, arrays }: BinaryMessage): Equilibrium {
  return {
    ...(header as unknown as EquilibriumHeader),
    moved: arrays.moved as Float32Array, opening: arrays.opening as Float32Array, slip: arrays.slip as Float32Array, absent: arrays.absent as Uint8Array,
    skin_moved: (arrays.skin_moved as Float32Array | undefined) ?? new Float32Array(), skin_stress: (arrays.skin_stress as Float32Array | undefined) ?? new Float32Array(),
  };
}

/** What the first equilibrium says of the surfaces of blocks that deform. */
function skinOf({ arrays }: BinaryMessage): Skin | null {
  if (!arrays.skin_start) return null;
  return { start: arrays.skin_start as Float32Array, block: arrays.skin_block as Uint32Array, triangles: arrays.skin_triangles as Uint32Array, edges: arrays.skin_edges as Uint32Array };
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
        if (!points.length) change(question.id, { skin: skinOf(message) });
        points.push(equilibriumOf(message));
        if (state.path.peek()?.id === question.id) telling ||= window.setTimeout(tellPoints, 120);
      },
    },
  );
  batch(() => {
    state.path.set({ id: question.id, stages, crack_m: 0, points, skin: null, state: "running", end: null, motion: null, error: null });
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
    if (state.path.peek()?.id === question.id) {
      magnifySkin(points);
      state.announcement.set(end.conclusion);
    }
  } catch (error) {
    // The model was changed meanwhile, and the path left with it.
    if (error instanceof Superseded || state.path.peek()?.id !== question.id) return;
    if (points.length) change(question.id, { state: "ended", error: error instanceof Error ? error.message : String(error) });
    else state.path.set(null);
    say(error);
  }
}

/** Deformations of stone are not seen as they are: they are magnified, unless a factor was chosen. */
function magnifySkin(points: readonly Equilibrium[]): void {
  const [model, last] = [state.model.peek(), points[points.length - 1]];
  if (!model || !last?.skin_moved.length || state.magnify.peek() !== 1) return;
  state.magnify.set(magnification(last, freeBounds(model).getSize(new Vector3()).length()));
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
