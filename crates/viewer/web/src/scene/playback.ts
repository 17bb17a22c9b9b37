/** The clock of what moves by itself: a mechanism that swings, a run or a path that plays. */

import * as state from "../state";
import { effect } from "../store";
import type { Stage } from "./stage";

/** A picture that took longer than this is not made up for: the run would jump. */
const LONGEST_S = 0.1;

/** Draws picture after picture while something moves, and only then. */
export function keepMoving(stage: Stage, canSwing: () => boolean, swing: (dt: number) => void): void {
  // Who wants less motion presses play.
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const respect = () => still.matches && state.show.mechanismPlays.set(false);
  still.addEventListener("change", respect);
  respect();
  const swings = () => state.show.mechanismPlays() && canSwing();
  let last = 0;
  let scheduled = 0;
  const step = (now: number) => {
    scheduled = 0;
    const dt = last ? Math.min((now - last) / 1000, LONGEST_S) : 0;
    last = now;
    if (swings()) swing(dt);
    if (state.playing.peek()) advance(dt);
    if (state.pathPlays.peek()) advancePath(dt);
    stage.requestRender();
    if (swings() || state.playing.peek() || state.pathPlays.peek()) scheduled = requestAnimationFrame(step);
    else last = 0;
  };
  effect(() => {
    if ((swings() || state.playing() || state.pathPlays()) && !scheduled) scheduled = requestAnimationFrame(step);
  });
}

/** Moves the playhead; it waits at the newest frame while more are computed. */
function advance(dt: number): void {
  const run = state.run.peek();
  const last = run?.frames.at(-1)?.time_s ?? 0;
  const next = state.playhead.peek() + dt * state.speed.peek();
  if (next < last) state.playhead.set(next);
  else if (run?.state !== "ended") state.playhead.set(last);
  else if (state.loop.peek()) state.playhead.set(0);
  else {
    state.playhead.set(last);
    state.playing.set(false);
  }
}

/** Seconds that a whole path takes. */
const PATH_S = 6;
/** Part of a step of the path that has passed. */
let passed = 0;

/** Goes along the path, equilibrium by equilibrium. */
function advancePath(dt: number): void {
  const count = state.pointsSeen.peek();
  passed += (dt * count) / PATH_S;
  const whole = Math.floor(passed);
  if (!whole) return;
  passed -= whole;
  const last = state.pathLast();
  const next = Math.min(state.pathAt.peek() + whole, last);
  state.pathAt.set(next);
  if (next >= last && state.path.peek()?.state !== "running") state.pathPlays.set(false);
}
