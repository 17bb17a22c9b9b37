/**
 * A second opinion. Verdicts that allow self-stress count forces that no displacement may have mobilised; where such a verdict
 * is that it stands, coupled analysis is asked, too, once nobody asks anything else.
 */

import * as state from "../state";
import { effect, untracked } from "../store";
import type { CheckAnswer } from "../wire/types";
import { socket } from "./server";

/** How long nothing must have been asked. */
const QUIET_MS = 400;
/** Contact points beyond which the answer takes seconds, and most often comes to nothing. */
const MOST_CONTACTS = 1000;

let asked: number | null = null;
let timer = 0;

function withdraw(): void {
  clearTimeout(timer);
  if (asked !== null) socket.tell("stop", { which: asked });
  asked = null;
}

/** Whether the verdict on screen leaves the question open. */
function isOpen(): boolean {
  const answer = state.check()?.answer;
  const busy = state.checking() || state.busy() !== null || state.run()?.state === "running";
  return !busy && answer?.verdict === "stable" && answer.self_stress === "allowed" && (state.model()?.contacts ?? 0) <= MOST_CONTACTS;
}

async function ask(): Promise<void> {
  const about = untracked(state.askedNow);
  const question = socket.ask("check", { situation: untracked(state.situation), method: "cra" }, { binary: 2 });
  asked = question.id;
  state.opinion.set({ verdict: "asking" });
  try {
    const { json } = await question.answer;
    if (asked !== question.id) return;
    const { verdict, conclusion, headline } = json as unknown as CheckAnswer;
    state.opinion.set({ verdict, conclusion, headline, about });
    if (verdict !== "stable") state.announcement.set(`${state.model.peek()?.name ?? "It"}: ${conclusion}`);
  } catch {
    // Given up for a question that somebody asked, or refused: nothing is said then.
    if (asked === question.id) state.opinion.set(null);
  } finally {
    if (asked === question.id) asked = null;
  }
}

export function secondOpinion(): void {
  // Whatever else is asked goes first; this is asked again afterwards.
  socket.beforeAsk = (id) => {
    if (asked === null || id === asked) return;
    withdraw();
    state.opinion.set(null);
    timer = window.setTimeout(() => isOpen() && void ask(), QUIET_MS);
  };
  effect(() => {
    const about = state.askedNow();
    const open = isOpen();
    // What was found of this question stays known while something else is asked about it.
    if (state.opinion.peek()?.about === about && state.isCurrent()) return;
    withdraw();
    state.opinion.set(null);
    if (open) timer = window.setTimeout(() => void ask(), QUIET_MS);
  });
}
