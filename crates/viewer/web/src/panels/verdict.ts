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
  const card = h("div", { class: "verdict", testid: "verdict-card" }, word, reason, details, opinionLine());
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

const OPINIONS = {
  asking: "Asking whether it stands without prestress…",
  stable: "Without prestress, too (CRA).",
  unstable: "Only with prestress: by CRA it falls.",
  undecided: "Without prestress: undecided (CRA).",
} as const;

/** What coupled analysis says, and the way to see it. */
function opinionLine(): HTMLElement {
  const text = h("span", { testid: "opinion" });
  const see = h("button", { type: "button", class: "link", testid: "opinion-see" }, "Show");
  see.addEventListener("click", () => state.method.set("cra"));
  const line = h("p", { class: "verdict-opinion" }, text, " ", see);
  effect(() => {
    const opinion = state.opinion();
    line.hidden = opinion === null;
    see.hidden = opinion?.verdict !== "unstable";
    text.textContent = opinion ? OPINIONS[opinion.verdict] : "";
    line.dataset.verdict = opinion?.verdict ?? "";
  });
  return line;
}

const sentence = (text: string) => (text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "");
