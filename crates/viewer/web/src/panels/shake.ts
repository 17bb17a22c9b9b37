/** Shaking: which motion, how strong, how long; then the histories of what was picked. */

import { base64 } from "../actions/open";
import { downloadExport, pauseRun, simulate, stopRun } from "../actions/shake";
import { duration, length, roughly, shown, significant, stepWords, whole } from "../format";
import { plot } from "../plots/plot";
import * as state from "../state";
import { effect, signal, untracked } from "../store";
import { button, checkbox, facts, section, segments, select, slider } from "../ui/controls";
import { h } from "../ui/h";
import type { Frame, MotionAsked, MotionKind, Vec3 } from "../wire/types";
import { savePicture } from "./report";
import { runWarnings, steppingAsked, steppingField } from "./stepping";

const kind = signal<MotionKind>("sine");
const direction = signal<"x" | "y" | "z">("x");
const amplitude = signal(0.3);
const frequency = signal(2);
const pulse = signal(0.4);
const seconds = signal(3);
const record = signal<File | null>(null);
const recordScale = signal(1);
const modelMotion = signal("");

/** The motion of the model that is chosen; another model has others. */
const chosenMotion = () => {
  const names = state.model()?.motions ?? [];
  return names.includes(modelMotion()) ? modelMotion() : (names[0] ?? "");
};

/** Most blocks whose paths one plot can tell apart. */
const MOST_LINES = 4;

async function motion(): Promise<MotionAsked | null> {
  const way: Vec3 = state.AXES[direction.peek()];
  switch (kind.peek()) {
    case "none":
      return { kind: "none" };
    case "sine":
      return { kind: "sine", direction: way, amplitude_g: amplitude.peek(), frequency_hz: frequency.peek(), duration_s: seconds.peek() };
    case "impulse":
      return { kind: "impulse", direction: way, amplitude_g: amplitude.peek(), duration_s: pulse.peek() };
    case "model":
      return { kind: "model", name: untracked(chosenMotion), scale: recordScale.peek() };
    case "record": {
      const file = record.peek();
      if (!file) {
        state.notice.set({ tone: "error", text: "Choose a record first.", help: "A PEER .AT2 file, or a table of time and acceleration." });
        return null;
      }
      return { kind: "record", direction: way, scale: recordScale.peek(), file: { name: file.name, base64: await base64(file) } };
    }
  }
}

export async function startShake(): Promise<void> {
  const asked = await motion();
  if (asked) await simulate({ motion: asked, duration_s: seconds.peek(), frames_per_s: 60, ...steppingAsked() });
}

/** Shakes with a sine of the given strength: what a suggestion asks for. */
export function shakeWith(peakG: number, hz: number): void {
  kind.set("sine");
  amplitude.set(peakG);
  frequency.set(hz);
  void startShake();
}

function motionSection(): HTMLElement {
  const file = h("input", { type: "file", id: "record-file", accept: ".at2,.AT2,.csv,.txt,.dat", testid: "record-file" });
  file.addEventListener("change", () => record.set(file.files?.[0] ?? null));
  const fields: Record<string, HTMLElement> = {
    way: segments("Direction", [{ value: "x", label: "along x" }, { value: "y", label: "along y" }, { value: "z", label: "up" }], direction, "shake-direction"),
    amplitude: slider({ label: "Peak acceleration", unit: "g", least: 0, most: 1.5, step: 0.01, hardMost: 20, value: () => amplitude(), onInput: (value) => amplitude.set(value), testid: "shake-amplitude" }),
    frequency: slider({ label: "Frequency", unit: "Hz", least: 0.2, most: 10, step: 0.1, hardLeast: 0.01, hardMost: 100, value: () => frequency(), onInput: (value) => frequency.set(value), testid: "shake-frequency" }),
    pulse: slider({ label: "Length of the impulse", unit: "s", least: 0.02, most: 2, step: 0.02, hardLeast: 0.001, hardMost: 60, value: () => pulse(), onInput: (value) => pulse.set(value), testid: "shake-pulse" }),
    file: h(
      "div",
      {},
      h("div", { class: "file-row" }, h("label", { for: "record-file" }, "Record"), file),
      h("p", { class: "hint" }, "A PEER .AT2 file, or a table of time and acceleration: in g where its header names no unit."),
    ),
    name: select("Motion", () => (state.model()?.motions ?? []).map((name) => ({ value: name, label: name })), chosenMotion, (value) => modelMotion.set(value), "shake-motion"),
    scale: slider({ label: "Scale", unit: "×", least: 0.1, most: 4, step: 0.1, hardLeast: 0, hardMost: 100, value: () => recordScale(), onInput: (value) => recordScale.set(value), testid: "shake-scale" }),
  };
  const shown: Record<MotionKind, string[]> = {
    none: [], sine: ["way", "amplitude", "frequency"], impulse: ["way", "amplitude", "pulse"], record: ["way", "file", "scale"], model: ["name", "scale"],
  };
  // Another model may have no motions of its own.
  effect(() => {
    if (kind() === "model" && state.model() && !chosenMotion()) kind.set("sine");
  });
  effect(() => {
    for (const [name, field] of Object.entries(fields)) field.hidden = !shown[kind()].includes(name);
  });
  return section(
    "Motion",
    select<MotionKind>(
      "Ground",
      () => [
        { value: "sine", label: "Sine" },
        { value: "impulse", label: "Impulse" },
        { value: "record", label: "Record from a file" },
        ...((state.model()?.motions.length ?? 0) > 0 ? [{ value: "model" as const, label: "Motion of the model" }] : []),
        { value: "none", label: "Gravity only" },
      ],
      () => kind(),
      (value) => kind.set(value),
      "shake-kind",
    ),
    ...Object.values(fields),
    slider({ label: "Duration", unit: "s", least: 0.5, most: 20, step: 0.5, hardLeast: 0.01, hardMost: 600, value: () => seconds(), onInput: (value) => seconds.set(value), testid: "shake-duration" }),
    steppingField(),
    h(
      "div",
      { class: "button-row" },
      button({ label: "Shake", icon: "play", kind: "primary", testid: "shake-start", disabled: () => state.model() === null || (state.run() !== null && state.run()!.state !== "ended"), onclick: () => void startShake() }),
      button({ label: "Pause", icon: "pause", testid: "shake-pause", disabled: () => state.run() === null || state.run()!.state === "ended", pressed: () => state.run()?.state === "paused", onclick: pauseRun }),
      button({ label: "Stop", icon: "stop", testid: "shake-stop", disabled: () => state.run() === null || state.run()!.state === "ended", onclick: stopRun }),
    ),
    runWarnings(),
  );
}

/** Blocks whose paths are drawn: those selected, else the one that moves farthest. */
function watched(): number[] {
  const chosen = [...state.selection()].slice(0, MOST_LINES);
  if (chosen.length) return chosen;
  const run = state.run();
  const last = run?.frames.at(-1);
  const model = state.model();
  if (!last || !model) return [];
  let farthest = 0;
  let most = -1;
  model.blocks.forEach((block, index) => {
    if (block.fixed) return;
    const d = away(last, run!.frames[0]!, index);
    if (d > most) [farthest, most] = [index, d];
  });
  return [farthest];
}

/** How far a block has moved against the ground, which moves itself. */
function away(now: Frame, start: Frame, block: number): number {
  const moved = (k: number) => now.poses[7 * block + k]! - start.poses[7 * block + k]! - (now.ground[k]! - start.ground[k]!);
  return Math.hypot(moved(0), moved(1), moved(2));
}

function historySection(): HTMLElement {
  const times = () => (state.framesSeen(), (state.run()?.frames ?? []).map((frame) => frame.time_s));
  const seek = (time: number) => {
    state.playing.set(false);
    state.showRun.set(true);
    state.playhead.set(time);
  };
  const summary = facts(() => {
    const run = state.run();
    state.framesSeen();
    if (!run) return [];
    const last = run.frames.at(-1);
    const method: [string, string][] = run.started ? [["Method", stepWords(run.started.integrator, last?.step_s ?? 0)]] : [];
    const rows: [string, string][] = [...method, ["Computed", `${(last?.time_s ?? 0).toFixed(2)} s, ${run.frames.length} frames`]];
    if (run.end) {
      rows.push(["Outcome", run.end.collapsed ? (run.end.collapse === "partial" ? "Collapses partially" : "Collapses") : run.end.at_rest ? "Comes to rest" : run.end.ended === "stopped" ? "Stopped" : "Still moving"]);
      const peak = run.end.max_displacement_m > 0 ? ` (${run.end.max_displacement_block}, ${run.end.max_displacement_time_s.toFixed(2)} s)` : "";
      rows.push(["Greatest displacement", `${length(run.end.max_displacement_m)}${peak}`]);
      rows.push(["Greatest speed", shown("speed", run.end.max_speed_m_s)]);
      rows.push(["Residual drift", length(run.end.residual_drift_m)]);
      rows.push(["Energy left over", significant(run.end.energy_balance_error, 2)]);
    } else if (run.started?.integrator === "explicit") rows.push(["Speed", `${whole(roughly(last?.steps_per_s ?? 0))} steps a second`]);
    else if (last) rows.push(["A step takes", duration(last.step_ms)]);
    return rows;
  });
  const box = section(
    "History",
    summary,
    plot({
      title: "Displacement against the ground", unit: "m", playhead: () => state.playhead(), onSeek: seek, testid: "plot-displacement",
      data: () => {
        const frames = state.run()?.frames ?? [];
        const first = frames[0];
        const blocks = state.model()?.blocks ?? [];
        return {
          times: times(),
          series: first ? watched().map((index, style) => ({ name: blocks[index]?.name ?? "", style, values: frames.map((frame) => away(frame, first, index)) })) : [],
        };
      },
    }),
    plot({
      title: "Energy", unit: "J", playhead: () => state.playhead(), onSeek: seek, testid: "plot-energy",
      data: () => {
        const frames = state.run()?.frames ?? [];
        const start = frames[0]?.potential_j ?? 0;
        return {
          times: times(),
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

function exportSection(): HTMLElement {
  const noRun = () => state.run() === null || state.busy() !== null;
  return section(
    "Export",
    h(
      "div",
      { class: "button-row" },
      button({ label: "glb", title: "Animated 3D scene", icon: "save", testid: "export-glb", disabled: () => state.model() === null || state.busy() !== null, onclick: () => void downloadExport("glb") }),
      button({ label: "csv", title: "Tables of the run", icon: "save", testid: "export-csv", disabled: noRun, onclick: () => void downloadExport("csv") }),
      button({ label: "gif", title: "Film of the run", icon: "save", testid: "export-gif", disabled: noRun, onclick: () => void downloadExport("gif") }),
      button({ label: "png", title: "Picture of the view", icon: "camera", testid: "export-png", onclick: savePicture }),
    ),
  );
}

export function shakePanel(): HTMLElement {
  return h("div", { class: "panel-body" }, motionSection(), historySection(), exportSection());
}
