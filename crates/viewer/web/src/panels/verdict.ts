/** The verdict, large and in words. */

import { duration, force, plural, significant } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { h } from "../ui/h";

const WORDS = { stable: "Stands", unstable: "Falls", undecided: "Undecided" } as const;

export function verdictCard(): HTMLElement {
  const word = h("p", { class: "verdict-word", testid: "verdict" });
  const reason = h("p", { class: "verdict-reason", testid: "verdict-reason" });
  const details = h("p", { class: "verdict-details" });
  const card = h("div", { class: "verdict", testid: "verdict-card" }, word, reason, details);
  effect(() => {
    const check = state.check();
    const error = state.checkError();
    card.classList.toggle("waiting", state.checking());
    if (!check) {
      card.dataset.verdict = error ? "error" : "none";
      word.textContent = error ? "No verdict" : state.model() ? "Asking…" : "Nothing to ask about";
      reason.textContent = error ?? "";
      details.textContent = "";
      return;
    }
    const { answer } = check;
    card.dataset.verdict = answer.verdict;
    word.textContent = WORDS[answer.verdict];
    reason.textContent = sentence(answer.reason);
    const parts = [duration(answer.time_ms)];
    if (answer.residual !== null && answer.residual !== undefined) parts.unshift(`residual ${significant(answer.residual, 2)}`);
    if (answer.max_force_n) parts.unshift(`largest force ${force(answer.max_force_n)}`);
    if (answer.tension_n) parts.unshift(`needs ${force(answer.tension_n)} of tension`);
    if (answer.unstable_blocks.length) parts.unshift(`${plural(answer.unstable_blocks.length, "block")} unstable`);
    // A number and its unit stay on one line.
    details.textContent = parts.map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
  });
  return card;
}

const sentence = (text: string) => (text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "");
