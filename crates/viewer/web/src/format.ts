/** Numbers with their units, as a person writes them: the one place that puts the two together. */

import { type Quantity, type Unit, fieldUnit, unitFor } from "./units";

/** `digits` significant digits, without an exponent for what people read in everyday sizes. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  // As rounded: 9.999 with three digits is 10.0.
  const size = Math.abs(Number(value.toPrecision(digits)));
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 8));
}

/** A value with the unit that suits its size, under the units of display. */
export function shown(quantity: Quantity, value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return withUnit(value, unitFor(quantity, value), digits);
}

const withUnit = (value: number, { si, name }: Unit, digits = 3) => `${significant(value / si, digits)} ${name}`;

/** Several values in one unit, such as the sides of a block; the unit is that of the largest. */
export function together(quantity: Quantity, values: readonly number[], between: string, digits = 3): string {
  const unit = unitFor(quantity, Math.max(...values.map(Math.abs), 0));
  return `${values.map((value) => significant(value / unit.si, digits)).join(between)} ${unit.name}`;
}

/** A place, to the millimetre. */
export function place(at: readonly number[]): string {
  const unit = fieldUnit("length");
  const decimals = Math.max(0, Math.ceil(Math.log10(unit.si / 1e-3) - 1e-9));
  return `${at.map((each) => String(Number((each / unit.si).toFixed(decimals)) + 0)).join(", ")} ${unit.name}`;
}

export const force = (n: number | null | undefined) => shown("force", n);
export const pressure = (pa: number | null | undefined) => shown("pressure", pa);
export const mass = (kg: number | null | undefined) => shown("mass", kg);
export const length = (m: number | null | undefined) => shown("length", m);
/** A part of a whole. */
export const percent = (part: number | null | undefined) => (part === null || part === undefined || !Number.isFinite(part) ? "–" : `${significant(100 * part)} %`);
export const duration = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? "–" : ms >= 1000 ? `${significant(ms / 1000)} s` : `${significant(ms, 2)} ms`;
/** What is the same in all systems of units. */
function scaled(value: number, scales: [number, string][]): string {
  const last = scales[scales.length - 1]!;
  const size = Math.abs(value);
  const [si, name] = size === 0 ? (scales.find(([each]) => each === 1) ?? last) : (scales.find(([each]) => size >= each) ?? last);
  return withUnit(value, { si, name });
}

/** A short time, such as the length of a step. */
export const time = (s: number) => scaled(Number(s.toPrecision(2)), [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");
/** Two digits are enough for what varies from moment to moment. */
export const roughly = (count: number) => Math.round(Number(count.toPrecision(2)));
/** How a run is stepped. The length is left out where it is not known yet. */
export const stepWords = (integrator: string, step_s: number) => `${words(integrator)} steps${step_s > 0 ? ` of ${time(step_s)}` : ""}`;
export const bytes = (count: number) => scaled(count, [[1e6, "MB"], [1e3, "kB"], [1, "B"]]);
const grouped = new Intl.NumberFormat("en-US");
export const whole = (count: number) => grouped.format(count);
export const plural = (count: number, one: string, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;

/** A text with a capital first. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `critical-tilt` to `Critical tilt`. */
export function words(name: string): string {
  return sentence(name.replace(/[-_]/g, " "));
}
