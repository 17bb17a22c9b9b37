/** Safety margins: questions that take their time. What is asked anew stops them. */

import { significant } from "../format";
import { type Margin, assumptions, motionOf, wayWords, withMargin } from "../margins";
import * as state from "../state";
import { batch, untracked } from "../store";
import { Superseded } from "../wire/socket";
import type { LimitAnswer, Moving, SensitivityAnswer, Situation, TiltAnswer, Vec3 } from "../wire/types";
import { say, socket } from "./server";

const METHODS = { cone: "cone", rbe: "RBE", cra: "CRA", "cra-penalty": "CRA penalty" } as const;

let current: { id: number; title: string; stopped: boolean } | null = null;

/** Stops the one that is looked for: something else was asked. */
export function stopMargin(): void {
  if (!current || current.stopped) return;
  current.stopped = true;
  socket.tell("stop", { which: current.id });
  state.notice.set({ tone: "info", text: `${current.title}: stopped, because something else was asked.`, help: "Ask for it again once the assumptions stand." });
}

interface Found {
  how: string;
  value: string;
  conclusion: string;
  mechanism: Moving;
}

async function find<T>(title: string, what: string, fields: Record<string, unknown>, situation: Situation, read: (answer: T) => Found): Promise<void> {
  const says = `${title}…`;
  const question = socket.ask(what, { situation, ...fields }, {
    onProgress: (part, text) => state.busy.set(`${title} ${Math.round(part * 100)} %${text ? ` · ${text}` : ""}`),
  });
  const mine = { id: question.id, title, stopped: false };
  current = mine;
  batch(() => {
    state.busy.set(says);
    state.stoppable.set(question.id);
  });
  try {
    const found = read((await question.answer).json as T);
    const blocks = state.model.peek()?.blocks.length ?? 0;
    // The model may have been changed while the answer was on its way.
    if (mine.stopped) return;
    const margin: Margin = {
      title, how: found.how, value: found.value, conclusion: found.conclusion, motion: motionOf(found.mechanism, blocks),
      assumed: JSON.stringify(situation), assumedWords: assumptions(situation),
    };
    batch(() => {
      state.margins.update((margins) => withMargin(margins, margin));
      state.announcement.set(`${title}: ${margin.value}`);
    });
  } catch (error) {
    if (!mine.stopped && !(error instanceof Superseded)) say(error);
  } finally {
    if (current === mine) current = null;
    if (state.stoppable.peek() === question.id)
      batch(() => {
        state.busy.set(null);
        state.stoppable.set(null);
      });
  }
}

const method = () => METHODS[state.method.peek()];

/** Weight alone is tilted. */
export const criticalTilt = (axis: Vec3) =>
  find<TiltAnswer>(
    `Critical tilt about ${wayWords(axis)}`, "tilt", { method: state.method.peek(), axis }, { ...untracked(state.situation), tilt: null, loads: [] },
    (answer) => ({
      how: method(),
      value: answer.critical_tilt_deg === null ? between(answer.lower_deg, answer.upper_deg, "°") : `${significant(answer.critical_tilt_deg, 4)}°`,
      conclusion: `${answer.conclusion}${answer.stands_again ? " It stands again farther on." : ""}`,
      mechanism: answer.mechanism,
    }),
  );

const limit = (title: string, grows: { direction: Vec3 } | { load: string }, unit: string) =>
  find<LimitAnswer>(title, "limit", { ...grows, friction_law: "associated" }, withoutLoad(untracked(state.situation), "load" in grows ? grows.load : null), (answer) => ({
    how: "associated friction",
    value: answer.unbounded ? "no limit" : answer.multiplier === null ? between(...answer.bounds, unit) : `${significant(answer.multiplier)}${unit}`,
    conclusion: answer.conclusion,
    mechanism: answer.mechanism,
  }));

/** The load that grows is not there before it does. */
const withoutLoad = (situation: Situation, load: string | null): Situation => ({ ...situation, loads: situation.loads.filter((each) => each.case !== load) });

export const capacity = (direction: Vec3) => limit(`Lateral capacity along ${wayWords(direction)}`, { direction }, " g");

export const multiplier = (load: string) => limit(`Multiplier of “${load}”`, { load }, " ×");

export const leastFriction = () =>
  find<SensitivityAnswer>("Minimum friction", "sensitivity", { method: state.method.peek() }, untracked(state.situation), (answer) => {
    const { least_friction: least, friction_factor: factor } = answer;
    return {
      how: method(),
      value: least === null ? "–" : `${answer.is_exact ? "" : "≤ "}${significant(least)}`,
      conclusion:
        least === null
          ? "This method did not find it to stand with any friction."
          : `It stands with a friction of ${significant(least)}${answer.is_exact ? ", and falls with less" : " and more; whether with less is not decided"}${factor === null ? "" : ` (${significant(factor)} of what it has)`}.`,
      mechanism: answer.mechanism,
    };
  });

function between(low: number | null, high: number | null, unit: string): string {
  if (low !== null && high !== null) return `${significant(low)} to ${significant(high)}${unit}`;
  if (low !== null) return `≥ ${significant(low)}${unit}`;
  return high !== null ? `≤ ${significant(high)}${unit}` : "–";
}
