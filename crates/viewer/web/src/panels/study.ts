/** A study: how far it is, what it comes to, its charts, and its runs. */

import { chooseRun, closeStudy } from "../actions/study";
import { words } from "../format";
import { chartFigure } from "../plots/chart";
import * as state from "../state";
import { collected, effect, untracked } from "../store";
import { progressWords } from "../study";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import type { Chart } from "../wire/types";
import { runList } from "./runlist";

function head(): HTMLElement {
  const title = h("h2", { class: "recipe-name", testid: "study-title" });
  const kind = h("span", { class: "unit", testid: "study-kind" });
  const bar = h("progress", { class: "study-bar", "aria-label": "Runs that have ended" });
  const progress = h("p", { testid: "study-progress" });
  const error = h("p", { class: "study-error", role: "alert", testid: "study-error" });
  effect(() => {
    const study = state.study();
    const gone = state.studyError();
    if (!study) return;
    title.textContent = study.title;
    kind.textContent = `${words(study.kind || "study")} · ${study.path}`;
    bar.max = Math.max(study.runs, 1);
    bar.value = study.done;
    progress.textContent = progressWords(study);
    progress.dataset.failed = String(study.failed > 0);
    error.hidden = gone === null;
    error.textContent = gone === null ? "" : `No longer watched: ${gone}. Open it again to go on.`;
  });
  return h(
    "section",
    { class: "section" },
    h("div", { class: "study-head" }, title, button({ label: "Close the study", icon: "close", iconOnly: true, kind: "quiet", testid: "study-close", onclick: closeStudy })),
    kind,
    bar,
    progress,
    error,
  );
}

function findings(): HTMLElement {
  const box = h("section", { class: "section", testid: "study-conclusions" });
  let before = "";
  effect(() => {
    const { conclusions = [], notes = [] } = state.study() ?? {};
    // A text that is being read is left alone while it stays as it is.
    const now = JSON.stringify([conclusions, notes]);
    if (now === before) return;
    before = now;
    box.hidden = !conclusions.length && !notes.length;
    box.replaceChildren(
      h("h2", { class: "caption" }, "Conclusions"),
      ...conclusions.map((text) => h("p", {}, text)),
      ...(notes.length ? [h("ul", { class: "warnings", "aria-label": "Notes", testid: "study-notes" }, notes.map((text) => h("li", {}, text)))] : []),
    );
  });
  return box;
}

/** What a click on a point does: one run is shown, several are listed. */
function picked(runs: string[], says: string): void {
  if (runs.length === 1) {
    state.runsOfPoint.set(null);
    void chooseRun(runs[0]!);
  } else state.runsOfPoint.set({ says, runs: new Set(runs) });
}

const EMPTY: Chart = { name: "", title: "", x: "", y: "", log_x: false, y_range: null, series: [] };

function charts(): HTMLElement {
  const box = h("section", { class: "section charts", "aria-label": "Charts" });
  let names = "";
  let end = () => {};
  effect(() => {
    const all = (state.study()?.charts ?? []).filter((chart) => chart.series.length);
    const now = JSON.stringify(all.map(({ name }) => name));
    box.hidden = !all.length;
    // Charts that are there stay, with what the pointer and the keys do on them.
    if (now === names) return;
    names = now;
    end();
    const [figures, ends] = untracked(() =>
      collected(() =>
        all.map(({ name }) =>
          chartFigure({
            data: () => state.study()?.charts.find((chart) => chart.name === name) ?? EMPTY,
            chosen: () => state.chosenRun()?.run ?? null,
            onPick: picked,
            testid: `chart-${name}`,
          }),
        ),
      ),
    );
    end = ends;
    box.replaceChildren(...figures);
  });
  return box;
}

export function studyPanel(): HTMLElement {
  return h("div", { class: "panel-body" }, head(), findings(), charts(), runList());
}
