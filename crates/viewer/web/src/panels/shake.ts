/** Shaking: which motion, how strong, how long; then the histories of what was picked. */

import { downloadExport, pauseRun, simulate, stopRun } from "../actions/shake";
import { significant, words } from "../format";
import * as state from "../state";
import { effect, signal, untracked } from "../store";
import { button, section, segments, select, slider } from "../ui/controls";
import { h } from "../ui/h";
import type { MotionAsked, MotionKind, Vec3 } from "../wire/types";
import { historySection } from "./history";
import { recordAsked, recordFields, recordLabel } from "./record";
import { savePicture } from "./report";
import { runsSection } from "./runs";
import { runWarnings, steppingAsked, steppingField } from "./stepping";

const kind = signal<MotionKind>("sine");
const direction = signal<"x" | "y" | "z">("x");
const amplitude = signal(0.3);
const frequency = signal(2);
const pulse = signal(0.4);
const seconds = signal(3);
const modelScale = signal(1);
const modelMotion = signal("");

/** The motion of the model that is chosen; another model has others. */
const chosenMotion = () => {
  const names = state.model()?.motions ?? [];
  return names.includes(modelMotion()) ? modelMotion() : (names[0] ?? "");
};

function motion(): MotionAsked | null {
  const way: Vec3 = state.AXES[direction.peek()];
  switch (kind.peek()) {
    case "none":
      return { kind: "none" };
    case "sine":
      return { kind: "sine", direction: way, amplitude_g: amplitude.peek(), frequency_hz: frequency.peek(), duration_s: seconds.peek() };
    case "impulse":
      return { kind: "impulse", direction: way, amplitude_g: amplitude.peek(), duration_s: pulse.peek() };
    case "model":
      return { kind: "model", name: untracked(chosenMotion), scale: modelScale.peek() };
    case "record": {
      const asked = recordAsked();
      if (!asked) state.notice.set({ tone: "error", text: "Choose a record first.", help: "A PEER .AT2 file, or a table of time and acceleration." });
      return asked;
    }
  }
}

/** The motion in a few words: what tells runs apart. */
function label(): string {
  const size = `${significant(amplitude.peek())} g along ${direction.peek()}`;
  switch (kind.peek()) {
    case "none":
      return "Gravity only";
    case "sine":
      return `Sine ${size}, ${significant(frequency.peek())} Hz`;
    case "impulse":
      return `Impulse ${size}, ${significant(pulse.peek())} s`;
    case "model":
      return `${words(untracked(chosenMotion))} × ${significant(modelScale.peek())}`;
    case "record":
      return recordLabel();
  }
}

export async function startShake(): Promise<void> {
  const asked = motion();
  if (asked) await simulate({ motion: asked, duration_s: seconds.peek(), frames_per_s: 60, ...steppingAsked() }, label());
}

/** Shakes with a sine of the given strength: what a suggestion asks for. */
export function shakeWith(peakG: number, hz: number): void {
  kind.set("sine");
  direction.set("x");
  seconds.set(3);
  amplitude.set(peakG);
  frequency.set(hz);
  void startShake();
}

function motionSection(): HTMLElement {
  const fields: Record<string, HTMLElement> = {
    way: segments("Direction", [{ value: "x", label: "along x" }, { value: "y", label: "along y" }, { value: "z", label: "up" }], direction, "shake-direction"),
    amplitude: slider({ label: "Peak acceleration", unit: "g", least: 0, most: 1.5, step: 0.01, hardMost: 20, value: () => amplitude(), onInput: (value) => amplitude.set(value), testid: "shake-amplitude" }),
    frequency: slider({ label: "Frequency", unit: "Hz", least: 0.2, most: 10, step: 0.1, hardLeast: 0.01, hardMost: 100, value: () => frequency(), onInput: (value) => frequency.set(value), testid: "shake-frequency" }),
    pulse: slider({ label: "Length of the impulse", unit: "s", least: 0.02, most: 2, step: 0.02, hardLeast: 0.001, hardMost: 60, value: () => pulse(), onInput: (value) => pulse.set(value), testid: "shake-pulse" }),
    // As long as the record, to a tenth of a second.
    file: recordFields((duration) => seconds.set(Math.ceil(10 * duration - 1e-6) / 10)),
    name: select("Motion", () => (state.model()?.motions ?? []).map((name) => ({ value: name, label: name })), chosenMotion, (value) => modelMotion.set(value), "shake-motion"),
    scale: slider({ label: "Scale", unit: "×", least: 0.1, most: 4, step: 0.1, hardLeast: 0, hardMost: 100, value: () => modelScale(), onInput: (value) => modelScale.set(value), testid: "shake-scale" }),
  };
  const shown: Record<MotionKind, string[]> = {
    none: [], sine: ["way", "amplitude", "frequency"], impulse: ["way", "amplitude", "pulse"], record: ["file"], model: ["name", "scale"],
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
  return h("div", { class: "panel-body" }, motionSection(), historySection(), runsSection(), exportSection());
}
