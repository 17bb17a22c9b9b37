/** Round numbers along an axis. */

import { quantityOf, unitFor, units } from "../units";

/** The step of 1, 2 or 5 times a power of ten that puts about `count` ticks on a span. */
export function tickStep(span: number, count: number): number {
  if (!(span > 0) || !Number.isFinite(span)) return 1;
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const part = rough / power;
  const over = (limit: number) => part > limit * (1 + 1e-9);
  return power * (over(5) ? 10 : over(2) ? 5 : over(1) ? 2 : 1);
}

export function ticks(least: number, most: number, count: number): number[] {
  const step = tickStep(most - least, count);
  const out: number[] = [];
  // Counted, not added up, so that a tick at zero is zero.
  for (let index = Math.ceil(least / step - 1e-9); index * step <= most + step * 1e-9; index++) out.push(index * step || 0);
  return out;
}

/** As many decimals as the step has. */
export function tickLabel(value: number, step: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(1).replace("e+", "e").replace(".0e", "e");
  return value.toFixed(Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 6));
}

/** The unit for values up to `most` in a unit: that of the units of display, or with the prefix that suits the size. */
export function axisUnit(unit: string, most: number): { scale: number; unit: string } {
  const quantity = quantityOf(unit);
  if (!quantity || units() === "auto") return prefixed(unit, most);
  const { name, si } = unitFor(quantity, most);
  return { scale: 1 / si, unit: name };
}

/** A prefix for values up to `most` in a unit: 1,200 J is 1.2 kJ, 0.003 m is 3 mm. */
export function prefixed(unit: string, most: number): { scale: number; unit: string } {
  const size = Math.abs(most);
  if (size >= 1e6) return { scale: 1e-6, unit: `M${unit}` };
  if (size >= 1e3) return { scale: 1e-3, unit: `k${unit}` };
  if (size >= 1 || size === 0) return { scale: 1, unit };
  if (size >= 1e-3) return { scale: 1e3, unit: `m${unit}` };
  return { scale: 1e6, unit: `µ${unit}` };
}
