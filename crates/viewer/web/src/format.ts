/** Numbers with their units, as a person writes them. */

/** `digits` significant digits, without an exponent for what people read in everyday sizes. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 8));
}

function scaled(value: number | null | undefined, units: [number, string][]): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const last = units[units.length - 1]!;
  const [scale, unit] = size === 0 ? (units.find(([each]) => each === 1) ?? last) : (units.find(([each]) => size >= each) ?? last);
  return `${significant(value / scale)} ${unit}`;
}

export const force = (n: number | null | undefined) => scaled(n, [[1e6, "MN"], [1e3, "kN"], [1, "N"]]);
export const pressure = (pa: number | null | undefined) => scaled(pa, [[1e6, "MPa"], [1e3, "kPa"], [1, "Pa"]]);
export const mass = (kg: number | null | undefined) => scaled(kg, [[1e3, "t"], [1, "kg"], [1e-3, "g"]]);
export const length = (m: number | null | undefined) => scaled(m, [[1, "m"], [1e-3, "mm"], [1e-6, "µm"]]);
export const energy = (j: number | null | undefined) => scaled(j, [[1e6, "MJ"], [1e3, "kJ"], [1, "J"]]);
export const duration = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? "–" : ms >= 1000 ? `${significant(ms / 1000)} s` : `${significant(ms, 2)} ms`;
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
