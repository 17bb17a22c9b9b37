/** Checks of the model under the assumptions on screen: verdict, safety margins, thrust lines. */

import { download } from "../download";
import { plural } from "../format";
import * as state from "../state";
import { batch, effect } from "../store";
import { Superseded } from "../wire/socket";
import type { CertificateAnswer, CheckAnswer, CheckArrays, ThrustAnswer } from "../wire/types";
import { stopMargin } from "./margins";
import { fetchExport } from "./shake";
import { ask, onChange, say, socket } from "./server";

/** A check that has run this long while a newer one waits is stopped: sliders must not wait for an old answer. */
const STALE_MS = 700;

let current: { id: number; since: number; givenUp: boolean } | null = null;
let again = false;
let checkDue = false;
/** What was stopped for a change of the model. */
const gaveWay = { check: false, thrust: false };

/** Stops the check that runs; its answer is no longer wanted. */
function giveUp(): void {
  if (!current || current.givenUp) return;
  current.givenUp = true;
  socket.tell("stop", { which: current.id });
}

async function checkNow(): Promise<void> {
  if (current) {
    again = true;
    if (performance.now() - current.since > STALE_MS) giveUp();
    return;
  }
  if (!state.model.peek() || socket.connection.peek() !== "open") return;
  state.checking.set(true);
  const about = state.askedNow();
  const question = socket.ask("check", { situation: state.situation(), method: state.method.peek() }, { binary: 2 });
  current = { id: question.id, since: performance.now(), givenUp: false };
  try {
    const { json, binary } = await question.answer;
    const answer = json as unknown as CheckAnswer;
    // A model that changed meanwhile is asked about again; forces of the old one would be drawn at wrong places.
    if (answer.revision !== undefined && answer.revision !== state.model.peek()?.revision) again = true;
    else {
      gaveWay.check = false;
      batch(() => {
        state.check.set({ answer, arrays: binary!.arrays as unknown as CheckArrays, about });
        state.checkError.set(null);
      });
    }
    if (!again) announce(answer);
  } catch (error) {
    if (!(error instanceof Superseded) && !again && !current?.givenUp) {
      state.check.set(null);
      state.checkError.set(error instanceof Error ? error.message : String(error));
    }
  } finally {
    current = null;
    const more = again;
    again = false;
    if (more) void checkNow();
    else state.checking.set(false);
  }
}

function announce(answer: CheckAnswer): void {
  const moving = answer.unstable_blocks.length;
  state.announcement.set(
    `${state.model.peek()?.name ?? "It"}: ${answer.conclusion}` + (moving ? ` ${plural(moving, "block")} unstable.` : ""),
  );
}

/** Asks whenever the model or what is asked of it changes. */
export function checkLive(): void {
  onChange(
    () => {
      stopMargin();
      if (current) gaveWay.check = true;
      giveUp();
      if (!following || following.givenUp) return;
      gaveWay.thrust = following.givenUp = true;
      socket.tell("stop", { which: following.id });
    },
    () => {
      if (gaveWay.check) void checkNow();
      if (gaveWay.thrust && state.tab.peek() === "thrust") void followThrust();
      gaveWay.check = gaveWay.thrust = false;
    },
  );
  effect(() => {
    state.askedNow();
    // What was asked before must not keep this waiting for minutes.
    stopMargin();
    if (!state.model()) return;
    // Once all that changed together has settled: a question of old supports and a new model would be refused.
    if (!checkDue) queueMicrotask(() => ((checkDue = false), void checkNow()));
    checkDue = true;
  });
}

const asked = () => ({ situation: state.situation(), method: state.method.peek() });

export async function certificate(): Promise<void> {
  const answer = await ask<CertificateAnswer>("certificate", asked(), "Writing the certificate");
  if (!answer) return;
  const file = await fetchExport("certificate", null, "Writing the certificate");
  if (!file) return;
  download(`${state.model.peek()?.name ?? "model"}-certificate.json`, file);
  state.notice.set({
    tone: answer.valid ? "info" : "error",
    text: answer.valid ? "The certificate was checked by independent code and holds." : "The certificate does not hold when checked independently.",
  });
}

let following: { id: number; givenUp: boolean } | null = null;
let followAgain = false;
let thrustDue = false;

/** Thrust and stress take longer than a verdict: asked for only while their tab is open. */
async function followThrust(): Promise<void> {
  if (following) {
    followAgain = true;
    return;
  }
  const question = socket.ask("thrust", asked());
  following = { id: question.id, givenUp: false };
  try {
    const { json } = await question.answer;
    if (!following.givenUp) {
      gaveWay.thrust = false;
      state.thrust.set(json as unknown as ThrustAnswer);
    }
  } catch (error) {
    state.thrust.set(null);
    if (!following.givenUp) say(error);
  } finally {
    following = null;
    const more = followAgain;
    followAgain = false;
    if (more) void followThrust();
  }
}

export function thrustLive(): void {
  effect(() => {
    state.situation();
    state.method();
    if (!state.model() || state.tab() !== "thrust") return;
    if (!thrustDue) queueMicrotask(() => ((thrustDue = false), void followThrust()));
    thrustDue = true;
  });
}
