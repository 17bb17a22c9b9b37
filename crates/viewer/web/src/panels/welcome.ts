/** A card for the first visit: three things to try, each a button that does it. */

import { FIRST_RECIPE, build } from "../actions/open";
import { leaveRun } from "../actions/shake";
import { words } from "../format";
import { preference } from "../persist";
import { AS_IN_MODEL } from "../question";
import * as state from "../state";
import { batch, effect, signal, untracked } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import type { CheckAnswer } from "../wire/types";
import { shakeWith } from "./shake";

/** One at a time: another press, or a hand on what moves, ends it. */
let gliding = 0;

/** Moves a value towards its end in small steps, so that one sees what each does; stops where it falls. */
function glide(from: number, to: number, step: number, signal: { peek(): number | null; set(value: number): void }): void {
  const mine = ++gliding;
  let value = from;
  let given: number | null = null;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const next = () => {
    if (mine !== gliding || (given !== null && signal.peek() !== given)) return;
    const isKnown = !state.checking.peek() && untracked(state.isCurrent);
    if (isKnown && state.check.peek()?.answer.verdict === "unstable") return;
    if (Math.abs(value - to) < Math.abs(step) / 2) return;
    if (isKnown) {
      value = still ? to : value + step;
      given = Math.round(value * 1000) / 1000;
      signal.set(given);
    }
    setTimeout(next, 60);
  };
  next();
}

/** Whatever was asked before is no part of what is tried: as the model is, at rest. */
function reset(): void {
  gliding++;
  leaveRun();
  batch(() => {
    state.friction.set(null);
    state.frictionFactor.set(null);
    state.density.set(null);
    state.tiltDeg.set(0);
    state.supports.set(AS_IN_MODEL);
    state.only.set(null);
    state.shownMargin.set(null);
    state.tab.set("check");
  });
}

/** Resolves once the verdict on screen is about what is asked now. */
function verdictNow(): Promise<CheckAnswer["verdict"] | null> {
  return new Promise((settle) => {
    let end: (() => void) | null = null;
    let done = false;
    end = effect(() => {
      if (done || state.checking() || (!state.checkError() && !state.isCurrent())) return;
      done = true;
      settle(state.check()?.answer.verdict ?? null);
      queueMicrotask(() => end?.());
    });
  });
}

/** What falls by itself shows nothing: then the structure of the first visit takes its place, and what was there stays kept. */
async function fromRest(act: () => void): Promise<void> {
  reset();
  const mine = gliding;
  // The checks are asked for once all that changed together has settled.
  await Promise.resolve();
  if ((await verdictNow()) !== "stable") {
    const name = state.model.peek()?.name ?? "It";
    await build(FIRST_RECIPE, {}, { apart: true });
    state.notice.set({ tone: "info", text: `${words(name)} does not stand by itself, so this is tried on another structure.`, help: "What was there stays kept: see Open, or undo." });
    await verdictNow();
  }
  if (mine === gliding) act();
}

const TRY: { label: string; says: string; testid: string; run: () => void }[] = [
  {
    label: "Lower the friction", says: "until stones slide", testid: "try-friction",
    run: () =>
      void fromRest(() => {
        const [least, most] = state.model.peek()?.friction_range ?? [0, 0];
        if (most > least) glide(1, 0, -0.02, state.frictionFactor);
        else glide(state.model.peek()?.friction ?? 0.6, 0, -0.01, state.friction);
      }),
  },
  {
    label: "Tilt it", says: "until it tips over", testid: "try-tilt",
    run: () => void fromRest(() => glide(0, 40, 0.5, state.tiltDeg)),
  },
  {
    label: "Shake it", says: "with a strong sine", testid: "try-shake",
    run: () =>
      void fromRest(() => {
        state.tab.set("shake");
        shakeWith(0.6, 1.5);
      }),
  },
];

export function welcomeCard(): HTMLElement {
  const dismissed = signal(preference.get("welcomed") === "yes");
  const dismiss = () => {
    dismissed.set(true);
    preference.set("welcomed", "yes");
  };
  const card = h(
    "aside",
    { class: "welcome", "aria-label": "Things to try", testid: "welcome" },
    h("div", { class: "welcome-head" }, h("strong", {}, "Three things to try"), button({ label: "Dismiss", icon: "close", iconOnly: true, kind: "quiet", onclick: dismiss, testid: "welcome-dismiss" })),
    TRY.map((each, index) =>
      h("button", { type: "button", class: "try", testid: each.testid, onclick: each.run }, h("span", { class: "try-number", "aria-hidden": "true" }, String(index + 1)), h("span", {}, h("strong", {}, each.label), ` ${each.says}`)),
    ),
  );
  effect(() => void (card.hidden = dismissed() || state.model() === null || state.study() !== null));
  return card;
}
