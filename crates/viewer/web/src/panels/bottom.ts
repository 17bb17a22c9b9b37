/** The bar under the view: where one looks from, how it is drawn, the timeline of a run and the path of a slow loading. */

import { leaveRun } from "../actions/shake";
import { playPath } from "../actions/slow";
import type { Stage, StandardView } from "../scene/stage";
import * as state from "../state";
import { type Signal, effect } from "../store";
import { button, select } from "../ui/controls";
import { h, uniqueId } from "../ui/h";
import type { IconName } from "../ui/icons";
import { pathBar } from "./pathbar";

const VIEWS: { view: StandardView; label: string; icon: IconName }[] = [
  { view: "three-quarter", label: "Three-quarter view (1)", icon: "cube" },
  { view: "front", label: "Front view (2)", icon: "front" },
  { view: "side", label: "Side view (3)", icon: "side" },
  { view: "top", label: "Top view (4)", icon: "top" },
];

interface SmallSlider {
  label: string;
  /** The label is only read out. */
  bare?: boolean;
  least: number;
  most: number;
  step: number;
  value: Signal<number>;
  disabled?: () => boolean;
  testid: string;
}

const percent = (value: number) => `${Math.round(value * 100)} %`;

function smallSlider({ label, bare, least, most, step, value, disabled, testid }: SmallSlider): HTMLElement {
  const id = uniqueId("small");
  const input = h("input", { type: "range", id, min: least, max: most, step, testid, title: label });
  input.addEventListener("input", () => value.set(Number(input.value)));
  effect(() => {
    input.value = String(value());
    input.style.setProperty("--part", `${((value() - least) / (most - least)) * 100}%`);
    input.setAttribute("aria-valuetext", percent(value()));
  });
  if (disabled) effect(() => void (input.disabled = disabled()));
  return h("div", { class: "small-slider" }, h("label", { for: id, class: bare ? "unseen" : undefined }, label), input);
}

/** All of it is always there: a bar that grows would push the view. */
function sectionControls(): HTMLElement {
  const { section, sectionAt, sectionFlip } = state.view;
  const off = () => section() === null;
  return h(
    "div",
    { class: "group" },
    select<"none" | "x" | "y" | "z">("Section", () => [{ value: "none", label: "off" }, { value: "x", label: "⟂ x" }, { value: "y", label: "⟂ y" }, { value: "z", label: "⟂ z" }], () => section() ?? "none", (value) => section.set(value === "none" ? null : value), "section"),
    smallSlider({ label: "Place of the section", bare: true, least: 0, most: 1, step: 0.005, value: sectionAt, disabled: off, testid: "section-at" }),
    button({ label: "Other side of the section", icon: "section", iconOnly: true, kind: "quiet", disabled: off, pressed: () => sectionFlip() && !off(), onclick: () => sectionFlip.update((on) => !on), testid: "section-flip" }),
  );
}

function timeline(): HTMLElement {
  const range = h("input", { type: "range", min: 0, step: 0.001, class: "scrub", "aria-label": "Time", testid: "scrub" });
  const time = h("span", { class: "time", testid: "time" });
  range.addEventListener("input", () => {
    state.playing.set(false);
    state.showRun.set(true);
    state.playhead.set(Number(range.value));
  });
  const bar = h(
    "div",
    { class: "timeline", role: "group", "aria-label": "Timeline of the run", testid: "timeline" },
    button({
      label: "Play or pause (space)", icon: "play", pressedIcon: "pause", iconOnly: true, testid: "play", pressed: () => state.playing(),
      onclick: togglePlay,
    }),
    time,
    range,
    select("Speed", () => ["0.05", "0.1", "0.25", "0.5", "1", "2"].map((value) => ({ value, label: `${value}×` })), () => String(state.speed()), (value) => state.speed.set(Number(value)), "speed"),
    button({ label: "Loop", icon: "loop", iconOnly: true, pressed: () => state.loop(), onclick: () => state.loop.update((on) => !on), testid: "loop" }),
    button({ label: "Back to the model at rest", icon: "close", iconOnly: true, kind: "quiet", onclick: leaveRun, testid: "leave-run" }),
  );
  effect(() => {
    const run = state.run();
    bar.hidden = run === null || state.onPath();
    if (!run || state.onPath()) return;
    state.framesSeen();
    const last = run.frames.at(-1)?.time_s ?? 0;
    const whole = run.state === "ended" ? last : Math.max(last, run.duration_s);
    range.max = String(whole || 1);
    range.value = String(state.playhead());
    range.style.setProperty("--part", `${(state.playhead() / (whole || 1)) * 100}%`);
    range.style.setProperty("--ready", `${(last / (whole || 1)) * 100}%`);
    range.setAttribute("aria-valuetext", `${state.playhead().toFixed(2)} s of ${whole.toFixed(2)} s`);
    time.textContent = `${state.playhead().toFixed(2)} s`;
  });
  return bar;
}

export function togglePlay(): void {
  if (state.onPath()) return playPath();
  const run = state.run.peek();
  if (!run) return;
  const last = run.frames.at(-1)?.time_s ?? 0;
  if (!state.playing.peek() && state.playhead.peek() >= last - 1e-6 && run.state === "ended") state.playhead.set(0);
  state.showRun.set(true);
  state.playing.update((on) => !on);
}

export function bottomBar(stage: Stage, tables: HTMLElement): HTMLElement {
  const { edges, joints, ortho, opacity, explode } = state.view;
  return h(
    "footer",
    { class: "bottom" },
    tables,
    timeline(),
    pathBar(),
    h(
      "div",
      { class: "view-bar", role: "toolbar", "aria-label": "View" },
      h(
        "div",
        { class: "group" },
        button({ label: "Fit (F)", icon: "fit", iconOnly: true, onclick: () => stage.fit(), testid: "fit" }),
        ...VIEWS.map(({ view, label, icon }) => button({ label, icon, iconOnly: true, onclick: () => stage.look(view), testid: `view-${view}` })),
        button({ label: "Parallel projection (O)", icon: "ortho", iconOnly: true, pressed: () => ortho(), onclick: () => ortho.update((on) => !on), testid: "ortho" }),
      ),
      h(
        "div",
        { class: "group" },
        button({ label: "Edges (E)", icon: "edges", iconOnly: true, pressed: () => edges(), onclick: () => edges.update((on) => !on), testid: "edges" }),
        button({ label: "Joints (J)", icon: "joints", iconOnly: true, pressed: () => joints(), onclick: () => joints.update((on) => !on), testid: "joints" }),
        h("span", { class: "touch-only" }, button({ label: "Taps add to the selection", icon: "several", iconOnly: true, pressed: () => state.addsToSelection(), onclick: () => state.addsToSelection.update((on) => !on), testid: "select-several" })),
      ),
      h(
        "div",
        { class: "group" },
        smallSlider({ label: "Opacity", least: 0.05, most: 1, step: 0.05, value: opacity, testid: "opacity" }),
        smallSlider({ label: "Explode", least: 0, most: 1.5, step: 0.01, value: explode, testid: "explode" }),
      ),
      sectionControls(),
    ),
  );
}
