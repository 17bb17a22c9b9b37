/** All runs that are kept: side by side in a table, each to be shown again or laid over the one on screen. */

import { forgetRun, overlay, showPast } from "../actions/shake";
import { length } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { button, section } from "../ui/controls";
import { h } from "../ui/h";
import type { PastRun } from "../pastruns";

function row(past: PastRun): HTMLElement {
  const { run, number } = past;
  const { end } = run;
  const now = state.run()?.id === run.id;
  const isOther = past.revision !== state.model()?.revision;
  const over = h("input", { type: "checkbox", "aria-label": `Lay run ${number} over the plot`, testid: `run-over-${number}` });
  over.checked = past.overlaid;
  over.disabled = now;
  over.addEventListener("change", () => overlay(past, over.checked));
  const outcome = state.outcomeOf(run) ?? "–";
  return h(
    "tr",
    { "aria-current": now ? "true" : undefined, testid: `past-run-${number}` },
    h(
      "th",
      { scope: "row", title: run.label },
      h("span", { class: "run-number" }, String(number)),
      run.label,
      isOther ? " (structure of before)" : null,
      h("span", { class: "run-outcome" }, `${outcome}${end?.collapsed && end.collapse_time_s !== null ? ` at ${end.collapse_time_s.toFixed(2)} s` : ""}`),
    ),
    h("td", { class: "number-cell" }, end ? length(end.max_displacement_m) : "–"),
    h("td", { class: "number-cell" }, end ? length(end.residual_drift_m) : "–"),
    h(
      "td",
      { class: "run-acts" },
      over,
      button({ label: `Show run ${number}`, icon: "play", iconOnly: true, kind: "quiet", testid: `run-see-${number}`, disabled: () => now || isOther, onclick: () => showPast(past) }),
      button({ label: `Forget run ${number}`, icon: "close", iconOnly: true, kind: "quiet", testid: `run-forget-${number}`, disabled: () => now, onclick: () => forgetRun(past) }),
    ),
  );
}

export function runsSection(): HTMLElement {
  const body = h("tbody", {});
  const box = section(
    "Runs",
    h(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Runs side by side" },
      h(
        "table",
        { class: "runs-table", testid: "past-runs" },
        h("thead", {}, h("tr", {}, ["Run", "Moved at most", "Drift", "Over, show, forget"].map((name) => h("th", { scope: "col" }, name)))),
        body,
      ),
    ),
    h("p", { class: "hint" }, "Ticked runs are laid over the displacement plot. Those of another variant of the structure stay for comparison."),
  );
  effect(() => {
    const runs = state.pastRuns();
    box.hidden = runs.length < 1;
    body.replaceChildren(...runs.map(row));
  });
  return box;
}
