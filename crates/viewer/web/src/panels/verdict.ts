/** The verdict, large and in words. */

import { duration, force, plural, significant } from "../format";
import { wayWords } from "../margins";
import * as state from "../state";
import { effect } from "../store";
import { h } from "../ui/h";
import type { CheckAnswer, LoadForce, Vec3 } from "../wire/types";

const WORDS = { stable: "Stands", unstable: "Falls" } as const;

export function verdictCard(): HTMLElement {
  const word = h("p", { class: "verdict-word", testid: "verdict" });
  const reason = h("p", { class: "verdict-reason", testid: "verdict-reason" });
  const details = h("p", { class: "verdict-details" });
  const geometry = h("ul", { class: "verdict-geometry", "aria-label": "Problems of the geometry", testid: "verdict-geometry" });
  const measured = h("ul", {});
  const more = h("details", { class: "verdict-more", testid: "verdict-more" }, h("summary", {}, "Details"), measured);
  const card = h("div", { class: "verdict", testid: "verdict-card" }, staleLine(), word, reason, geometry, opinionLine(), loadsLine(), more, details);
  effect(() => {
    const check = state.check();
    const error = state.checkError();
    card.classList.toggle("waiting", state.checking());
    card.classList.toggle("stale", check !== null && !state.isCurrent());
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
    // Once coupled analysis has answered, too, what follows from both is said.
    const now = state.verdictNow()!;
    card.dataset.verdict = now.verdict;
    word.textContent = headline(now);
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

/** Said of a verdict about something else than what is asked now, for as long as it stays. */
function staleLine(): HTMLElement {
  return h("p", { class: "verdict-stale", testid: "verdict-stale" }, "From before the change. Checking again…");
}

/** Load cases that act, each with its resultant. */
function loadsLine(): HTMLElement {
  const line = h("p", { class: "verdict-loads", testid: "verdict-loads" });
  effect(() => {
    const acting = [...state.factors()].filter(([, factor]) => factor !== 0);
    line.hidden = acting.length === 0;
    line.textContent = acting.length ? `With ${acting.map(([name, factor]) => loadWords(name, factor, state.model()?.load_forces ?? [])).join(", ")}` : "";
  });
  return line;
}

function loadWords(name: string, factor: number, forces: readonly LoadForce[]): string {
  const own = forces.filter((each) => each.case === name);
  const sum = own.reduce<Vec3>((all, { force_n }) => [all[0] + force_n[0], all[1] + force_n[1], all[2] + force_n[2]], [0, 0, 0]);
  const size = Math.hypot(...sum);
  const largest = Math.max(0, ...own.map(({ force_n }) => Math.hypot(...force_n)));
  const times = `“${name}” × ${significant(factor)}`;
  // Forces that balance each other have no resultant to speak of.
  if (size > 1e-6 * largest) return `${times} (${force(Math.abs(factor) * size)} along ${wayWords(sum.map((each) => each * Math.sign(factor)) as Vec3)})`;
  return largest > 0 ? `${times} (no resultant; forces up to ${force(Math.abs(factor) * largest)})` : times;
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
