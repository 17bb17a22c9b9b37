/** A card for the first visit: three things to try, each a button that does it. */

import { preference } from "../persist";
import * as state from "../state";
import { effect, signal } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import { shakeWith } from "./shake";

/** Moves a value towards its end in small steps, so that one sees what each does; stops where it falls. */
function glide(from: number, to: number, step: number, set: (value: number) => void): void {
  let value = from;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const next = () => {
    if (state.check.peek()?.answer.verdict === "unstable" && !state.checking.peek()) return;
    if (Math.abs(value - to) < Math.abs(step) / 2) return;
    if (!state.checking.peek()) {
      value = still ? to : value + step;
      set(Math.round(value * 1000) / 1000);
    }
    setTimeout(next, 60);
  };
  next();
}

function reset(): void {
  state.showRun.set(false);
  state.friction.set(null);
  state.tiltDeg.set(0);
  state.tab.set("check");
}

const TRY: { label: string; says: string; testid: string; run: () => void }[] = [
  {
    label: "Lower the friction", says: "until stones slide", testid: "try-friction",
    run: () => {
      reset();
      glide(state.model.peek()?.friction ?? 0.6, 0, -0.01, (value) => state.friction.set(value));
    },
  },
  {
    label: "Tilt it", says: "until it tips over", testid: "try-tilt",
    run: () => {
      reset();
      glide(0, 40, 0.5, (value) => state.tiltDeg.set(value));
    },
  },
  {
    label: "Shake it", says: "with a strong sine", testid: "try-shake",
    run: () => {
      reset();
      state.tab.set("shake");
      shakeWith(0.6, 1.5);
    },
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
