/** Units of display: what each quantity is shown in. Everywhere else all is SI. */

import { signal } from "./store";

/** `auto` takes the SI unit that suits the size. */
export type UnitSystem = "auto" | "m-kn" | "mm-n" | "imperial";

export const UNIT_SYSTEMS: { value: UnitSystem; label: string }[] = [
  { value: "auto", label: "SI, by size" },
  { value: "m-kn", label: "m, kN" },
  { value: "mm-n", label: "mm, N" },
  { value: "imperial", label: "ft, lbf" },
];

export const units = signal<UnitSystem>("auto");

export type Quantity = "length" | "area" | "volume" | "mass" | "density" | "force" | "pressure" | "energy" | "speed" | "stiffness";

/** A unit, how many SI units it is, and from how many SI units on it is taken where that is not itself. */
export interface Unit {
  name: string;
  si: number;
  from?: number;
}

const of = (...all: [si: number, name: string, from?: number][]): Unit[] => all.map(([si, name, from]) => ({ si, name, from }));

const FOOT = 0.3048;
const INCH = FOOT / 12;
const POUND = 0.45359237;
const POUND_FORCE = POUND * 9.80665;

const MASS = of([1e3, "t"], [1, "kg"], [1e-3, "g"]);
const ENERGY = of([1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"]);

/** Units of each quantity, the largest first; the last one serves for what is smaller still. */
const UNITS: Record<Quantity, Record<UnitSystem, Unit[]>> = {
  length: {
    auto: of([1, "m"], [1e-3, "mm"], [1e-6, "µm"]),
    "m-kn": of([1, "m"]),
    "mm-n": of([1e-3, "mm"]),
    imperial: of([FOOT, "ft"], [INCH, "in"]),
  },
  area: {
    auto: of([1, "m²", 0.01], [1e-4, "cm²"], [1e-6, "mm²"]),
    "m-kn": of([1, "m²"]),
    "mm-n": of([1e-6, "mm²"]),
    imperial: of([FOOT ** 2, "ft²"], [INCH ** 2, "in²"]),
  },
  volume: {
    auto: of([1, "m³", 1e-3], [1e-6, "cm³"]),
    "m-kn": of([1, "m³"]),
    "mm-n": of([1e-9, "mm³"]),
    imperial: of([FOOT ** 3, "ft³"], [INCH ** 3, "in³"]),
  },
  mass: { auto: MASS, "m-kn": MASS, "mm-n": of([1, "kg"]), imperial: of([POUND, "lb"]) },
  density: { auto: of([1, "kg/m³"]), "m-kn": of([1, "kg/m³"]), "mm-n": of([1, "kg/m³"]), imperial: of([POUND / FOOT ** 3, "lb/ft³"]) },
  force: {
    auto: of([1e6, "MN"], [1e3, "kN"], [1, "N"]),
    "m-kn": of([1e3, "kN"]),
    "mm-n": of([1, "N"]),
    imperial: of([1e3 * POUND_FORCE, "kip"], [POUND_FORCE, "lbf"]),
  },
  pressure: {
    auto: of([1e6, "MPa"], [1e3, "kPa"], [1, "Pa"]),
    "m-kn": of([1e3, "kPa"]),
    "mm-n": of([1e6, "MPa"]),
    imperial: of([POUND_FORCE / INCH ** 2, "psi"]),
  },
  energy: { auto: ENERGY, "m-kn": ENERGY, "mm-n": ENERGY, imperial: of([POUND_FORCE * FOOT, "ft lbf"]) },
  speed: { auto: of([1, "m/s"]), "m-kn": of([1, "m/s"]), "mm-n": of([1e-3, "mm/s"]), imperial: of([FOOT, "ft/s"]) },
  stiffness: {
    auto: of([1e6, "kN/mm"]),
    "m-kn": of([1e3, "kN/m"]),
    "mm-n": of([1e3, "N/mm"]),
    imperial: of([1e3 * (POUND_FORCE / INCH), "kip/in"]),
  },
};

/** The unit for a value of that size, in SI: the largest that it has at least one of, the middle one for nothing. */
export function unitFor(quantity: Quantity, size: number): Unit {
  const all = UNITS[quantity][units()];
  const last = all[all.length - 1]!;
  const most = Math.abs(size);
  if (most === 0) return all.find(({ si }) => si === 1) ?? last;
  // What is a unit but for rounding is one.
  return all.find(({ si, from }) => most * (1 + 1e-6) >= (from ?? si)) ?? last;
}

/** What fields are in, whatever is in them: metres and newtons, unless another system was chosen. */
export function fieldUnit(quantity: Quantity): Unit {
  const all = UNITS[quantity][units()];
  return all.find(({ si }) => si === 1) ?? (units() === "imperial" && quantity !== "length" ? all[all.length - 1]! : all[0]!);
}

/** Units that fields and axes are given in, the quantity of each, and how many SI units it is. */
const NAMED: Record<string, [Quantity, number]> = {
  m: ["length", 1], mm: ["length", 1e-3], m2: ["area", 1], "m²": ["area", 1], m3: ["volume", 1], "m³": ["volume", 1], kg: ["mass", 1], "kg/m3": ["density", 1], "kg/m³": ["density", 1],
  N: ["force", 1], kN: ["force", 1e3], Pa: ["pressure", 1], J: ["energy", 1], "m/s": ["speed", 1], "kN/mm": ["stiffness", 1e6],
};

export const quantityOf = (named: string): Quantity | null => NAMED[named]?.[0] ?? null;

/** What stands in a field of values in a named unit: in which unit, and how many of it one of the named is. */
export function inDisplay(named: string): { name: string; by: number } {
  const known = NAMED[named];
  if (!known || units() === "auto") return { name: named, by: 1 };
  const [quantity, si] = known;
  const all = UNITS[quantity][units()];
  // Small lengths stay in small units, large forces in large ones.
  const small = named === "mm" ? (units() === "imperial" ? all.find(({ name }) => name === "in")! : { name: "mm", si: 1e-3 }) : null;
  const unit = small ?? (named === "kN" ? all[0]! : fieldUnit(quantity));
  return { name: unit.name, by: si / unit.si };
}
