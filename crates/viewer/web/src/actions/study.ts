/** A study: looked at while it fills; its runs are shown one by one. */

import * as state from "../state";
import { AS_IN_MODEL } from "../question";
import { batch } from "../store";
import { Disconnected } from "../wire/socket";
import type { Method, Model, Study, StudyRun } from "../wire/types";
import { askModelNow, inTurn, say, socket, visit } from "./server";
import { follow, leaveRun, stopRun } from "./shake";

/** A run that took longer is shown when that is asked for: a point that is clicked to be read must not begin it. */
export const QUICK_S = 60;
const FRAMES_PER_S = 60;
const METHODS: readonly string[] = ["cone", "rbe", "cra", "cra-penalty"] satisfies Method[];

/** Which structure of the study is on screen, while the model is as it came. */
let onScreen: { structure: string; revision: number } | null = null;
/** The question that looks at the study. */
let watching: { id: number; path: string } | null = null;

/** The study of this tab, which a reload brings back. */
const STORED = "drystone.study";

function store(path: string | null): void {
  try {
    if (path === null) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify({ path, visit }));
  } catch {
    /* no storage, no memory */
  }
}

function stored(): string | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as { path: string; visit: string } | null;
    return kept?.visit === visit ? kept.path : null;
  } catch {
    return null;
  }
}

/** Shows a study whose structure has just been opened. */
export function showStudy(path: string, model: Model): void {
  onScreen = { structure: model.study?.structure ?? "", revision: model.revision };
  if (state.study.peek()?.path === path) state.tab.set("study");
  void look(path);
}

/** After a reload or a broken connection. */
export function lookAgain(): void {
  const path = state.study.peek()?.path ?? stored();
  if (path !== null && watching?.path !== path) void look(path);
}

async function look(path: string): Promise<void> {
  if (watching) socket.tell("stop", { which: watching.id });
  const isOther = state.study.peek()?.path !== path;
  let isFirst = isOther;
  const question = socket.ask(
    "study",
    { path },
    {
      onState: (json) => {
        if (watching?.id !== question.id) return;
        const study = json.study as Study;
        const before = state.study.peek();
        batch(() => {
          state.study.set(study);
          state.studyError.set(null);
          if (isFirst) {
            state.chosenRun.set(null);
            state.runsOfPoint.set(null);
            state.tab.set("study");
          }
        });
        isFirst = false;
        if (before?.path === path && !before.complete && study.complete) state.announcement.set("All runs of the study have ended.");
      },
    },
  );
  watching = { id: question.id, path };
  store(path);
  try {
    await question.answer;
  } catch (error) {
    // It is looked at again as soon as there is a connection.
    if (watching?.id !== question.id) return;
    watching = null;
    if (error instanceof Disconnected) return;
    store(null);
    state.studyError.set(error instanceof Error ? error.message : String(error));
    say(error);
  }
}

export function closeStudy(): void {
  if (watching) socket.tell("stop", { which: watching.id });
  watching = null;
  store(null);
  batch(() => {
    state.study.set(null);
    state.chosenRun.set(null);
    state.runsOfPoint.set(null);
    if (state.tab.peek() === "study") state.tab.set("check");
  });
}

let choices = 0;

/** Tells of a run; also shows it, where that is quick. */
export async function chooseRun(run: string): Promise<void> {
  const study = state.study.peek();
  if (!study) return;
  const turn = ++choices;
  state.chosenRun.set({ run, details: null, shown: false });
  try {
    const { json } = await socket.ask("study_run", { path: study.path, run }).answer;
    if (turn !== choices) return;
    const details = json as unknown as StudyRun;
    state.chosenRun.set({ run, details, shown: false });
    if (!details.failed && details.wall_s <= QUICK_S) await showRun();
  } catch (error) {
    if (turn === choices) say(error);
  }
}

/** Nothing is chosen; what is on screen stays there. */
export function leaveChosen(): void {
  choices++;
  state.chosenRun.set(null);
}

/** Shows the chosen run: a time history is simulated again, as it was; of others the structure is checked. */
export async function showRun(): Promise<void> {
  const path = state.study.peek()?.path;
  const chosen = state.chosenRun.peek();
  if (path === undefined || !chosen?.details) return;
  const { run, details } = chosen;
  const turn = choices;
  state.chosenRun.set({ ...chosen, shown: true });
  try {
    stopRun();
    const isThere = onScreen?.structure === details.structure && onScreen.revision === state.model.peek()?.revision;
    if (!isThere)
      await inTurn(async () => {
        const { model } = await askModelNow("open", { study: path, run });
        onScreen = { structure: details.structure, revision: model.revision };
      });
    // Another was chosen meanwhile.
    if (turn !== choices) return;
    asItWasAsked(details);
    if (details.asks === "simulate") await follow("rerun", () => ({ path, run, frames_per_s: FRAMES_PER_S }), durationOf(details), details.label);
    else
      batch(() => {
        leaveRun();
        state.run.set(null);
      });
  } catch (error) {
    if (turn !== choices) return;
    state.chosenRun.set({ ...chosen, shown: false });
    say(error);
  }
}

const durationOf = ({ result }: StudyRun) => (typeof result.simulated_s === "number" ? result.simulated_s : 0);

/** The structure has all that was different in the run; nothing else is to be. */
function asItWasAsked({ loads, method }: StudyRun): void {
  batch(() => {
    state.friction.set(null);
    state.density.set(null);
    state.tiltDeg.set(0);
    state.supports.set(AS_IN_MODEL);
    state.only.set(null);
    state.frictionFactor.set(null);
    state.loadFactors.set(new Map((state.model.peek()?.loads ?? []).map((name) => [name, loads.includes(name) ? 1 : 0])));
    if (method !== null && METHODS.includes(method)) state.method.set(method as Method);
  });
}
