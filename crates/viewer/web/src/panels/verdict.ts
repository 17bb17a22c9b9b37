/** The verdict, large and in words. */

import { duration, force, plural } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { h } from "../ui/h";
import type { CheckAnswer } from "../wire/types";

const WORDS = { stable: "Stands", unstable: "Falls" } as const;

export function verdictCard(): HTMLElement {
  const word = h("p", { class: "verdict-word", testid: "verdict" });
  const reason = h("p", { class: "verdict-reason", testid: "verdict-reason" });
  const details = h("p", { class: "verdict-details" });
  const geometry = h("ul", { class: "verdict-geometry", "aria-label": "Problems of the geometry", testid: "verdict-geometry" });
  const measured = h("ul", {});
  const more = h("details", { class: "verdict-more", testid: "verdict-more" }, h("summary", {}, "Details"), measured);
  const card = h("div", { class: "verdict", testid: "verdict-card" }, word, reason, geometry, opinionLine(), more, details);
  effect(() => {
    const check = state.check();
    const error = state.checkError();
    card.classList.toggle("waiting", state.checking());
    const wrong = check?.answer.geometry ?? [];
    geometry.hidden = wrong.length === 0;
    geometry.replaceChildren(...wrong.map((line) => h("li", {}, sentence(line))));
    more.hidden = !check?.answer.details.length;
    if (!check) {
      card.dataset.verdict = error ? "error" : "none";
      word.textContent = error ? "No verdict" : state.model() ? "Checking…" : "Nothing to check";
      reason.textContent = error ?? "";
      details.textContent = "";
      return;
    }
    const { answer } = check;
    card.dataset.verdict = answer.verdict;
    word.textContent = headline(answer);
    // Once coupled analysis has answered, too, what follows from both is said.
    reason.textContent = state.opinion()?.conclusion ?? answer.conclusion;
    measured.replaceChildren(...answer.details.map((line) => h("li", {}, sentence(line))));
    const parts = [duration(answer.time_ms)];
    if (answer.max_force_n) parts.unshift(`largest force ${force(answer.max_force_n)}`);
    const pulled = Math.max(0, ...(answer.ties ?? []).map((tie) => Math.abs(tie.force_n)));
    if (pulled) parts.unshift(`ties up to ${force(pulled)}${answer.ties!.some((tie) => tie.yields) ? ", yielding" : ""}`);
    if (answer.tension_n) parts.unshift(`needs ${force(answer.tension_n)} of tension`);
    if (answer.unstable_blocks.length) parts.unshift(`${plural(answer.unstable_blocks.length, "block")} unstable`);
    // A number and its unit stay on one line.
    details.textContent = parts.map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
  });
  return card;
}

/** The verdict in a word or two; where it is open, what is known. */
export const headline = (answer: Pick<CheckAnswer, "verdict" | "headline">): string =>
  answer.verdict === "undecided" ? answer.headline : WORDS[answer.verdict];

const OPINIONS = {
  asking: "Checking whether it needs self-stress…",
  stable: "No self-stress needed (CRA).",
  unstable: "Only with self-stress: by CRA it falls.",
  undecided: "Self-stress: undecided (CRA).",
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

export const sentence = (text: string) => (text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "");
