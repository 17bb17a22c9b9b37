/** A round dial for an angle: dragged, wheeled or stepped by keys. */

import { effect } from "../store";
import { h, s } from "./h";

export interface DialOptions {
  label: string;
  least: number;
  most: number;
  value: () => number;
  onInput: (value: number) => void;
  testid?: string;
}

const SIZE = 96;
const MIDDLE = SIZE / 2;
const RADIUS = 38;
/** The arc that the angle's range covers on the dial: 0 at the top, the range's ends left and right of the bottom. */
const REACH_DEG = 150;

/** Degrees on the dial, clockwise from its top. */
export function dialAngle(value: number, least: number, most: number): number {
  const largest = Math.max(Math.abs(least), Math.abs(most));
  return (value / largest) * REACH_DEG;
}

/** The value under a pointer at (x, y) from the dial's middle, y down. */
export function dialValue(x: number, y: number, least: number, most: number): number {
  const angle = (Math.atan2(x, -y) * 180) / Math.PI;
  const largest = Math.max(Math.abs(least), Math.abs(most));
  return Math.min(Math.max((angle / REACH_DEG) * largest, least), most);
}

const onCircle = (deg: number, radius: number): [number, number] => {
  const angle = (deg * Math.PI) / 180;
  return [MIDDLE + radius * Math.sin(angle), MIDDLE - radius * Math.cos(angle)];
};

function arc(from: number, to: number, radius: number): string {
  const [a, b] = from < to ? [from, to] : [to, from];
  const [x0, y0] = onCircle(a, radius);
  const [x1, y1] = onCircle(b, radius);
  return `M${x0} ${y0}A${radius} ${radius} 0 ${b - a > 180 ? 1 : 0} 1 ${x1} ${y1}`;
}

export function dial(options: DialOptions): HTMLElement {
  const { least, most } = options;
  const filled = s("path", { class: "dial-fill" });
  const knob = s("circle", { class: "dial-knob", r: 6 });
  const ticks = Array.from({ length: 13 }, (_, index) => {
    const deg = -REACH_DEG + (index * REACH_DEG) / 6;
    const [x0, y0] = onCircle(deg, RADIUS - 8);
    const [x1, y1] = onCircle(deg, RADIUS - (index % 3 === 0 ? 14 : 11));
    return s("line", { class: "dial-tick", x1: x0, y1: y0, x2: x1, y2: y1 });
  });
  const picture = s(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, width: SIZE, height: SIZE, "aria-hidden": "true" },
    s("path", { class: "dial-track", d: arc(-REACH_DEG, REACH_DEG, RADIUS) }),
    ...ticks,
    filled,
    knob,
  );
  const readout = h("span", { class: "dial-value" });
  const element = h(
    "div",
    {
      class: "dial", role: "slider", tabindex: 0, "aria-label": options.label, "aria-valuemin": least, "aria-valuemax": most, testid: options.testid,
    },
    picture,
    readout,
    h("span", { class: "dial-label", "aria-hidden": "true" }, options.label),
  );
  const give = (value: number) => options.onInput(Math.min(Math.max(Math.round(value * 100) / 100, least), most));

  element.addEventListener("keydown", (event) => {
    const now = options.value();
    const fine = event.shiftKey ? 0.1 : 1;
    const next: Record<string, number> = {
      ArrowRight: now + 0.5 * fine, ArrowUp: now + 0.5 * fine, ArrowLeft: now - 0.5 * fine, ArrowDown: now - 0.5 * fine,
      PageUp: now + 5, PageDown: now - 5, Home: least, End: most, "0": 0,
    };
    const value = next[event.key];
    if (value === undefined) return;
    event.preventDefault();
    give(value);
  });
  const drag = (event: PointerEvent) => {
    const box = picture.getBoundingClientRect();
    const value = dialValue(event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2, least, most);
    give(Math.round(value * 4) / 4);
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    element.focus();
    drag(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (element.hasPointerCapture(event.pointerId)) drag(event);
  });

  effect(() => {
    const value = options.value();
    const deg = dialAngle(value, least, most);
    filled.setAttribute("d", Math.abs(deg) < 0.01 ? "" : arc(0, deg, RADIUS));
    const [x, y] = onCircle(deg, RADIUS);
    knob.setAttribute("cx", String(x));
    knob.setAttribute("cy", String(y));
    readout.textContent = `${Number(value.toFixed(2))}°`;
    element.setAttribute("aria-valuenow", String(value));
    element.setAttribute("aria-valuetext", `${Number(value.toFixed(2))} degrees`);
  });
  return element;
}
