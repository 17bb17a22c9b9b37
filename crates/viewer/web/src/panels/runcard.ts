/** The chosen run of a study, over the view: what it was given, what it came to, and a way to see it. */

import { QUICK_S, leaveChosen, showRun } from "../actions/study";
import { duration } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { parametersOf, resultsOf } from "../study";
import { button } from "../ui/controls";
import { h } from "../ui/h";

const VERDICT = { stable: "stands", unstable: "falls", undecided: "is undecided" } as const;

const rowsOf = (rows: [string, string][]) => h("dl", { class: "facts" }, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { title: value }, value)]));

export function runCard(): HTMLElement {
  const label = h("strong", { testid: "run-label" });
  const says = h("p", { class: "run-says", testid: "run-says" });
  const now = h("p", { class: "hint", testid: "run-now" });
  const body = h("div", { class: "run-body", tabindex: 0, role: "region", "aria-label": "Parameters and results" });
  // Open as it was left: one run is read after another.
  const results = h("details", { testid: "run-results" });
  const see = button({ label: "Show this run", icon: "play", kind: "primary", testid: "run-show", onclick: () => void showRun() });
  const card = h(
    "aside",
    { class: "run-card", "aria-label": "Run of the study", testid: "run-card" },
    h("div", { class: "welcome-head" }, label, button({ label: "Close", icon: "close", iconOnly: true, kind: "quiet", testid: "run-close", onclick: leaveChosen })),
    says,
    body,
    now,
    see,
  );
  effect(() => {
    const chosen = state.chosenRun();
    card.hidden = chosen === null;
    if (!chosen) return;
    const row = state.study()?.listed.find(({ run }) => run === chosen.run);
    label.textContent = chosen.details?.label ?? row?.label ?? "";
    says.textContent = chosen.details?.says ?? row?.says ?? "";
    says.dataset.outcome = row?.failed ? "failed" : row?.falls === true ? "falls" : row?.falls === false ? "stands" : "none";
  });
  effect(() => {
    const details = state.chosenRun()?.details;
    if (!details) return body.replaceChildren();
    const { first, others } = resultsOf(details);
    const parameters = parametersOf(details.parameters);
    body.replaceChildren(
      ...(parameters.length ? [rowsOf(parameters)] : []),
      results,
    );
    results.replaceChildren(
      h("summary", {}, "Results"),
      ...(first.length ? [rowsOf(first)] : []),
      rowsOf([...others, ["Took", duration(1000 * details.wall_s)], ["Version", details.version], ["Run", details.run]]),
    );
    body.scrollTop = 0;
  });
  effect(() => {
    const chosen = state.chosenRun();
    const details = chosen?.details;
    const run = state.run();
    const check = state.check();
    if (!chosen || !details) return void ([now.hidden, see.hidden] = [true, true]);
    const isRun = details.asks === "simulate";
    // What was on screen may have made way for another model.
    const isSeen = chosen.shown && (!isRun || run !== null);
    see.hidden = isSeen;
    const takes = details.wall_s > QUICK_S ? `It took ${duration(1000 * details.wall_s)} in the study.` : "";
    now.textContent = !isSeen ? takes : isRun ? "" : check ? `Checked now: it ${VERDICT[check.answer.verdict]} (${check.answer.method}).` : "Checking its structure.";
    now.hidden = now.textContent === "";
  });
  return card;
}
