/** Running a simulation and playing what it gave. */

import * as state from "../state";
import { type PastRun, withRun } from "../pastruns";
import { batch } from "../store";
import { Superseded } from "../wire/socket";
import type { BinaryMessage } from "../wire/binary";
import type { Frame, FrameHeader, FrictionLaw, MotionAsked, SimulateEnd, SimulateStarted, Stepping } from "../wire/types";
import { download } from "../download";
import { ask, exportUrl, say, socket } from "./server";

export interface SteppingAsked {
  integrator: Stepping;
  /** Normal and tangential, of every joint; null: as the model has it. */
  stiffness_n_m3: [number, number] | null;
  dt_s?: number;
  friction_law?: FrictionLaw;
  damping?: number | null;
  after_collapse_s: number;
}

export interface ShakeAsked extends SteppingAsked {
  motion: MotionAsked;
  duration_s: number;
  frames_per_s: number;
}

function frameOf(message: BinaryMessage): Frame {
  const header = message.header as unknown as FrameHeader;
  return { ...header, poses: message.arrays.poses as Float32Array, ground: message.arrays.ground as Float32Array };
}

let telling = 0;

/** Plots follow a run at a few pictures a second: drawing all of it for every frame would hold up the frames. */
function tellFrames(): void {
  telling ||= window.setTimeout(() => {
    telling = 0;
    state.framesSeen.update((count) => count + 1);
  }, 120);
}

/** Settles once no simulation runs. */
let ending: Promise<void> = Promise.resolve();

let asks = 0;

export const simulate = (asked: ShakeAsked, label: string) => follow("simulate", () => ({ situation: state.situation(), ...asked }), asked.duration_s, label);

/** Counts runs, as people do. */
let runs = 0;

/** Keeps the run on screen beside the next ones. */
function keepRun(): void {
  const [run, model] = [state.run.peek(), state.model.peek()];
  if (!run?.frames.length || !model) return;
  const kept = { run, number: ++runs, blocks: model.blocks.map(({ name }) => name), revision: model.revision, overlaid: false };
  state.pastRuns.update((all) => withRun(all, kept));
}

/** Shows a run that is kept, if it is of the structure on screen. */
export function showPast({ run, revision }: PastRun): void {
  if (revision !== state.model.peek()?.revision) return;
  stopRun();
  batch(() => {
    state.run.set(run);
    state.playhead.set(0);
    state.showRun.set(true);
    state.playing.set(true);
    state.framesSeen.update((count) => count + 1);
  });
}

export const overlay = (run: PastRun, on: boolean) =>
  state.pastRuns.update((all) => all.map((each) => (each.number === run.number ? { ...each, overlaid: on } : each)));

export const forgetRun = (run: PastRun) => state.pastRuns.update((all) => all.filter(({ number }) => number !== run.number));

/** Stops what runs, then asks for another run and shows it as it comes. */
export async function follow(what: string, asked: () => Record<string, unknown>, duration_s: number, label: string): Promise<void> {
  const turn = ++asks;
  stopRun();
  // The server runs one simulation at a time and refuses another until the last has come to its end.
  await ending;
  if (turn !== asks) return;
  const frames: Frame[] = [];
  const question = socket.ask(
    what,
    asked(),
    {
      onStarted: (json) => {
        const started = json as unknown as SimulateStarted;
        state.run.update((run) => (run?.id === question.id ? { ...run, started } : run));
        state.announcement.set(started.reason);
      },
      onFrame: (message) => {
        frames.push(frameOf(message));
        tellFrames();
      },
    },
  );
  batch(() => {
    state.run.set({
      id: question.id,
      label,
      duration_s,
      frames,
      state: "running",
      started: null,
      end: null,
    });
    state.playhead.set(0);
    state.showRun.set(true);
    state.playing.set(true);
  });
  ending = question.answer.then(
    () => {},
    () => {},
  );
  try {
    const { json } = await question.answer;
    const end = json as unknown as SimulateEnd;
    // The model was changed meanwhile, and the run left with it.
    if (state.run.peek()?.id !== question.id) return;
    state.run.update((run) => run && { ...run, state: "ended", end });
    keepRun();
    tellFrames();
    state.announcement.set(end.collapsed ? "The run ended: it collapses." : "The run ended.");
  } catch (error) {
    if (!(error instanceof Superseded) && state.run.peek()?.id === question.id) say(error);
    state.run.update((run) => {
      if (run?.id !== question.id) return run;
      return frames.length ? { ...run, state: "ended" } : null;
    });
  }
}

export function stopRun(): void {
  const run = state.run.peek();
  if (run && run.state !== "ended") socket.tell("stop", { which: run.id });
}

export function pauseRun(): void {
  const run = state.run.peek();
  if (!run || run.state === "ended") return;
  const pausing = run.state === "running";
  socket.tell(pausing ? "pause" : "resume", { which: run.id });
  state.run.set({ ...run, state: pausing ? "paused" : "running" });
}

/** Shows a run of the opened folder: its frames are sent as those of a simulation are. */
export async function showStoredRun(id: number): Promise<void> {
  const frames: Frame[] = [];
  await socket.ask("frames", {}, { onFrame: (message) => frames.push(frameOf(message)) }).answer;
  if (!frames.length) return;
  batch(() => {
    state.run.set({ id, label: "Run of the folder", duration_s: frames.at(-1)!.time_s, frames, state: "ended", started: null, end: null });
    state.playhead.set(0);
    state.showRun.set(true);
  });
  keepRun();
}

export function leaveRun(): void {
  batch(() => {
    state.showRun.set(false);
    state.playing.set(false);
  });
}

/** What the picture shows, for the report. */
function inWords(): Record<string, string> {
  const words: Record<string, string> = {};
  if (state.onRun()) words.moment = `${state.playhead.peek().toFixed(2)} s into the run`;
  const section = state.view.section.peek();
  if (section) words.section = `across ${section}`;
  if (state.view.explode.peek() > 0) words.exploded = `by ${Math.round(100 * state.view.explode.peek())} %`;
  const chosen = state.selectedNames();
  if (chosen.length) words.selected = chosen.length > 8 ? `${chosen.length} blocks` : chosen.join(", ");
  return words;
}

export type ExportKind = "glb" | "csv" | "html" | "gif" | "model" | "certificate";

/** The bytes of an export, or null where the server refused and said why. */
export async function fetchExport(what: ExportKind, picture: string | null, says: string): Promise<Blob | null> {
  const run = state.run.peek();
  const answer = await ask<{ name: string }>(
    what === "html" ? "report" : "export",
    {
      what,
      which: run?.id ?? null,
      picture,
      situation: state.situation(),
      method: state.method.peek(),
      blocks: state.selectedNames(),
      view: inWords(),
    },
    says,
  );
  if (!answer) return null;
  const response = await fetch(exportUrl(answer.name));
  if (!response.ok) {
    say(new Error(`The export could not be fetched (${response.status}).`));
    return null;
  }
  return response.blob();
}

export async function downloadExport(what: "glb" | "csv" | "gif"): Promise<void> {
  const blob = await fetchExport(what, null, `Writing ${what}`);
  if (blob) download(`${state.model.peek()?.name ?? "model"}.${what}`, blob);
}
