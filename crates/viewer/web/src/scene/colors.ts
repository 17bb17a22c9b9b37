/** Colour scales that people with any kind of colour vision can read, and the palette of the two themes. */

import type { Theme } from "../state";

export type Rgb = [number, number, number];

// Viridis and a single-hue scale sampled at nine places; between them colours are mixed.
const VIRIDIS = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];
const CIVIDIS = [0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xfee838];

const rgb = (hex: number): Rgb => [((hex >> 16) & 255) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];

function sample(stops: number[], t: number): Rgb {
  const at = Math.min(Math.max(Number.isFinite(t) ? t : 0, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const a = rgb(stops[low]!);
  const b = rgb(stops[low + 1]!);
  const part = at - low;
  return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
}

/** 0 to 1, both within sRGB. */
export const viridis = (t: number): Rgb => sample(VIRIDIS, t);
export const cividis = (t: number): Rgb => sample(CIVIDIS, t);

/** Pressure: the dark end of the scale is left out, for it would be lost among stone and shadow. */
export const stressColor = (t: number): Rgb => cividis(0.22 + 0.78 * Math.min(Math.max(t, 0), 1));

// Magma from its light end without the darkest fifth, as in pictures of the command line: little stress is light.
const HEAT = [0xfcfdbf, 0xfece91, 0xfe9f6d, 0xf76f5c, 0xde4968, 0xb63679, 0x8c2981, 0x641a80, 0x3b0f70];

/** Von Mises' stress over the end of its scale. */
export const heat = (t: number): Rgb => sample(HEAT, t);

export const css = ([r, g, b]: Rgb) => `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)})`;

export function gradient(scale: (t: number) => Rgb): string {
  const stops = Array.from({ length: 9 }, (_, index) => css(scale(index / 8)));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

export interface Palette {
  background: number;
  floor: number;
  floorShadow: number;
  grid: number;
  block: number;
  support: number;
  selected: number;
  unstable: number;
  aside: number;
  cap: number;
  edge: number;
  edgeStrength: number;
  force: number;
  tension: number;
  load: number;
  tie: number;
  opening: number;
  slip: number;
  hinge: number;
  /** The joint that was picked, and what is measured. */
  picked: number;
  resultant: number;
  computed: number;
  minimum: number;
  maximum: number;
  sky: number;
  earth: number;
  skyStrength: number;
  sunStrength: number;
}

export const PALETTES: Record<Theme, Palette> = {
  light: {
    background: 0xeceae5,
    floor: 0x8a857b,
    floorShadow: 0.28,
    grid: 0xcfcbc2,
    block: 0xddd3c1,
    support: 0x8d97a1,
    selected: 0x3f83f0,
    unstable: 0xec8f52,
    aside: 0xd9d6cf,
    cap: 0xa89472,
    edge: 0x3a352d,
    edgeStrength: 0.5,
    force: 0x0f6f8c,
    tension: 0xd11f2e,
    load: 0x2b2622,
    tie: 0x9c2f2f,
    opening: 0xc8102e,
    slip: 0x0057b8,
    hinge: 0x5b1a8f,
    picked: 0x0b5fd0,
    resultant: 0xa81d8a,
    computed: 0x0b5fd0,
    minimum: 0x0e8f6c,
    maximum: 0xc2430f,
    sky: 0xffffff,
    earth: 0xb9ab94,
    skyStrength: 2.15,
    sunStrength: 2.3,
  },
  dark: {
    background: 0x1b1e22,
    floor: 0x000000,
    floorShadow: 0.42,
    grid: 0x343a41,
    block: 0xb7ab97,
    support: 0x67727e,
    selected: 0x4d93ff,
    unstable: 0xe8833f,
    aside: 0x5b5f63,
    cap: 0x756649,
    edge: 0x0d0f11,
    edgeStrength: 0.75,
    force: 0x52c7e8,
    tension: 0xff5a63,
    load: 0xf4f1ea,
    tie: 0xe0797a,
    opening: 0xff5a63,
    slip: 0x6cb1ff,
    hinge: 0xd9a6ff,
    picked: 0x8ab6ff,
    resultant: 0xff8ae0,
    computed: 0x6cb1ff,
    minimum: 0x47d3a6,
    maximum: 0xff9457,
    sky: 0xdfe8f2,
    earth: 0x4a4338,
    skyStrength: 1.3,
    sunStrength: 2.1,
  },
};
