/** What a run came to, and how blocks moved in it, beside the ground and beside other runs. */

import { duration, length, roughly, shown, significant, stepWords, whole } from "../format";
import { type Component, farthest, groundMoved, moved } from "../plots/moved";
import { type Series, plot } from "../plots/plot";
import { freeBounds } from "../scene/place";
import * as state from "../state";
import { effect, signal } from "../store";
import { Vector3 } from "three";
import { checkbox, facts, section, segments } from "../ui/controls";
import { h } from "../ui/h";

/** Most blocks whose paths one plot can tell apart, with the ground beside them. */
const MOST_LINES = 3;

const component = signal<Component>("x");

/** Blocks whose paths are drawn: those selected, else the one that moves farthest. */
function watched(): number[] {
  const chosen = [...state.selection()].slice(0, MOST_LINES);
  if (chosen.length) return chosen;
  const [run, model] = [state.run(), state.model()];
  if (!run?.frames.length || !model) return [];
  return [farthest(run, (block) => !model.blocks[block]!.fixed, model.blocks.length)];
}

const structureSize = () => {
  const model = state.model();
  return model ? freeBounds(model).getSize(new Vector3()).length() : Infinity;
};

/** What it has to lose by falling as far as it is high, in joules: energies of blocks that fall on beyond are cut. */
function energyLimit(): number {
  const model = state.model();
  if (!model) return Infinity;
  const weight = model.blocks.reduce((sum, block) => sum + (block.fixed ? 0 : block.mass_kg), 0) * Math.hypot(...model.gravity);
  return 1.5 * weight * freeBounds(model).getSize(new Vector3()).z || Infinity;
}

function displacements(): Series[] {
  const frames = state.run()?.frames ?? [];
  const first = frames[0];
  const blocks = state.model()?.blocks ?? [];
  if (!first) return [];
  const along = component();
  const own = watched().map((index, style) => ({ name: blocks[index]?.name ?? "", style, values: frames.map((frame) => moved(frame, first, index, along)) }));
  const ground = { name: "ground", style: 4, values: frames.map((frame) => groundMoved(frame, first, along)) };
  const names = watched().map((index) => blocks[index]?.name);
  const others = state.pastRuns().filter(({ run, overlaid }) => overlaid && run.id !== state.run()?.id);
  const over = others.flatMap(({ run, number, blocks: known }) =>
    names.slice(0, 1).flatMap((name) => {
      const index = known.indexOf(name ?? "");
      const start = run.frames[0];
      if (index < 0 || !start) return [];
      return { name: `${name}, run ${number}`, style: 5 + (number % 3), times: run.frames.map((frame) => frame.time_s), values: run.frames.map((frame) => moved(frame, start, index, along)) };
    }),
  );
  return [...own, ground, ...over];
}

function rows(): [string, string][] {
  const run = state.run();
  state.framesSeen();
  if (!run) return [];
  const last = run.frames.at(-1);
  const method: [string, string][] = run.started ? [["Method", stepWords(run.started.integrator, last?.step_s ?? 0)]] : [];
  const rows: [string, string][] = [...method, ["Computed", `${(last?.time_s ?? 0).toFixed(2)} s, ${run.frames.length} frames`]];
  if (run.end) {
    const { end } = run;
    rows.push(["Outcome", state.outcomeOf(run)!]);
    if (end.collapse_time_s !== null && end.collapsed) rows.push(["Collapses at", `${end.collapse_time_s.toFixed(2)} s${end.stopped_after_collapse ? ", then stopped" : ""}`]);
    const peak = end.max_displacement_m > 0 ? ` (${end.max_displacement_block}, ${end.max_displacement_time_s.toFixed(2)} s)` : "";
    rows.push(["Greatest displacement", `${length(end.max_displacement_m)}${peak}`]);
    rows.push(["Greatest speed", shown("speed", end.max_speed_m_s)]);
    rows.push(["Residual drift", length(end.residual_drift_m)]);
    rows.push(["Energy balance error", significant(end.energy_balance_error, 2)]);
  } else if (run.started?.integrator === "explicit") rows.push(["Speed", `${whole(roughly(last?.steps_per_s ?? 0))} steps a second`]);
  else if (last) rows.push(["A step takes", duration(last.step_ms)]);
  return rows;
}

export function historySection(): HTMLElement {
  const times = () => (state.framesSeen(), (state.run()?.frames ?? []).map((frame) => frame.time_s));
  const seek = (time: number) => {
    state.playing.set(false);
    state.showRun.set(true);
    state.playhead.set(time);
  };
  const summary = facts(rows);
  summary.dataset.testid = "run-facts";
  const box = section(
    "History",
    summary,
    h(
      "div",
      { class: "choice-row" },
      h("span", { "aria-hidden": "true" }, "Displacement"),
      segments<Component>("Component of the displacement", [{ value: "x", label: "x" }, { value: "y", label: "y" }, { value: "z", label: "z" }, { value: "size", label: "size" }], component, "moved-component"),
    ),
    plot({
      title: () => (component() === "size" ? "Displacement against the ground" : `Displacement along ${component()}, against the ground`),
      unit: "m", playhead: () => state.playhead(), onSeek: seek, testid: "plot-displacement",
      data: () => ({ times: times(), series: displacements(), limit: structureSize() }),
    }),
    plot({
      title: "Energy", unit: "J", playhead: () => state.playhead(), onSeek: seek, testid: "plot-energy",
      data: () => {
        const frames = state.run()?.frames ?? [];
        const start = frames[0]?.potential_j ?? 0;
        return {
          times: times(),
          limit: energyLimit(),
          series: [
            { name: "kinetic", style: 0, values: frames.map((frame) => frame.kinetic_j) },
            { name: "potential", style: 1, values: frames.map((frame) => frame.potential_j - start) },
            { name: "dissipated", style: 2, values: frames.map((frame) => frame.dissipated_j) },
          ],
        };
      },
    }),
    checkbox("View moves with the ground", state.view.followGround, "follow-ground"),
    h("p", { class: "hint" }, "Select blocks to follow them; without a selection the one that moves farthest is drawn. Drag in a plot to go to a moment."),
  );
  effect(() => void (box.hidden = state.run() === null));
  return box;
}
