/** Play, a slider, and what is on screen. */

import { h } from "../ui/h";
import { icon } from "../ui/icons";
import type { Header } from "./data";
import type { View } from "./view";

/** Seconds that a path takes, and that a mechanism takes to and fro. */
const PATH_S = 6;
const SWING_S = 3.2;
/** A picture that took longer is not made up for. */
const LONGEST_S = 0.1;
/** How long the end of a run stays before it begins again (s). */
const PAUSE_S = 0.8;

export function bar(view: View, header: Header, frames: number): HTMLElement {
  const last = frames - 1;
  const { motion, times, labels } = header;
  const slider = h("input", { type: "range", min: 0, max: last, step: motion === "steps" ? 1 : "any", value: 0, "aria-label": "Position" });
  const label = h("output", { class: "label" });
  const button = h("button", { type: "button", class: "play" });
  /** Seconds since the beginning. */
  let clock = 0;
  let before = 0;
  let playing = false;

  const put = (at: number) => {
    view.draw(at);
    slider.value = String(at);
    const whole = Math.min(Math.round(at), last);
    label.textContent =
      motion === "time" ? `${timeAt(at).toFixed(2)} s of ${times[last]!.toFixed(2)} s` : motion === "steps" ? (labels[whole] ?? "") : (labels[0] ?? "");
  };
  const timeAt = (at: number) => {
    const k = Math.min(Math.floor(at), last);
    return times[k]! + ((times[k + 1] ?? times[k]!) - times[k]!) * (at - k);
  };
  const frameAt = (time: number) => {
    let k = 0;
    while (k + 1 < last && times[k + 1]! <= time) k++;
    return Math.min(k + (time - times[k]!) / (times[k + 1]! - times[k]!), last);
  };
  /** Where a clock is, and how long all of it takes. */
  const length = motion === "time" ? times[last]! - times[0]! : motion === "steps" ? PATH_S : SWING_S;
  const place = (clock: number) => {
    if (motion === "swing") return (last * (1 - Math.cos((2 * Math.PI * clock) / length))) / 2;
    const part = Math.min(clock / length, 1);
    return motion === "time" ? frameAt(times[0]! + part * length) : Math.round(part * last);
  };
  const clockOf = (at: number) => {
    if (motion === "swing") return (length * Math.acos(1 - (2 * at) / last)) / (2 * Math.PI);
    return motion === "time" ? timeAt(at) - times[0]! : (at / last) * length;
  };

  const step = (now: number) => {
    if (!playing) return;
    clock += before ? Math.min((now - before) / 1000, LONGEST_S) : 0;
    before = now;
    if (clock > length + (motion === "swing" ? 0 : PAUSE_S)) clock = motion === "swing" ? clock - length : 0;
    put(place(clock));
    requestAnimationFrame(step);
  };
  const play = (on: boolean) => {
    playing = on;
    before = 0;
    button.replaceChildren(icon(on ? "pause" : "play"));
    button.setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) return;
    clock = clockOf(Number(slider.value));
    if (motion !== "swing" && clock >= length) clock = 0;
    requestAnimationFrame(step);
  };
  button.addEventListener("click", () => play(!playing));
  slider.addEventListener("input", () => (play(false), put(Number(slider.value))));
  put(0);
  // Who wants less motion presses play.
  play(motion === "swing" && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  return h("div", { class: "bar" }, button, slider, label);
}
