/** Which sliders a recipe has, and their ranges where what is allowed is far wider than what people try. */

import { tickStep } from "../plots/ticks";
import type { Need, Parameter } from "../wire/types";

export interface Range {
  least: number;
  most: number;
  step: number;
}

const WIDEST = 20;

/** About a quarter to three times the default, within what is allowed; the whole range where that is not wide. */
export function sliderRange(parameter: Parameter): Range {
  const value = Number(parameter.default) || 0;
  const whole = parameter.kind === "integer";
  let least = parameter.least ?? -Infinity;
  let most = parameter.most ?? Infinity;
  const size = Math.abs(value);
  // A range of up to 180 degrees or of 0 to 2 is as it is; metres from a micron to a hundred kilometres are not.
  if (most - least > Math.max(WIDEST * size, parameter.unit === "deg" ? 360 : 10)) {
    const reach = size === 0 ? 1 : size;
    least = Math.max(least, value > 0 ? value / 4 : value - 2 * reach);
    most = Math.min(most, value >= 0 ? value + 2 * reach : value / 4);
    const round = tickStep(most - least, 20);
    least = Math.max(Math.floor(least / round) * round, parameter.least ?? -Infinity);
    most = Math.min(Math.ceil(most / round) * round, parameter.most ?? Infinity);
  }
  if (whole) {
    least = Math.ceil(least);
    most = Math.max(Math.floor(most), least + 1);
  }
  const step = parameter.step ?? (whole ? 1 : tickStep(most - least, 100));
  // A slider's stops are counted from its lower end: there it must stand on a multiple of its step.
  const aligned = Math.ceil(least / step - 1e-9) * step;
  return { least: Number(aligned.toPrecision(12)), most, step };
}

/** Whether a parameter has an effect under the values of the others: everything that it needs is so. */
export function hasEffect(needs: readonly Need[] | undefined, valueOf: (parameter: string) => string): boolean {
  return (needs ?? []).every((need) => {
    const value = valueOf(need.parameter);
    if (need.one_of) return need.one_of.includes(value);
    if (need.above != null) return Number(value) > need.above;
    return need.not == null || Number(value) !== need.not;
  });
}
