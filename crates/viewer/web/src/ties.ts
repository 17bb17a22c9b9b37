/** Ties as fields and words have them. */

import { force } from "./format";
import type { Tie, TieKind } from "./wire/types";

export type Kind = "tie" | "spring" | "rigid_rod";

/** The kind of a tie by what the fields say: kN, kN/mm and mm. Zero stands for none. */
export function kindOf(kind: Kind, stiffness: number, prestress: number, strength: number, rupture: number): TieKind {
  const stiffness_n_m = 1e6 * stiffness;
  if (kind === "rigid_rod") return "rigid_rod";
  if (kind === "spring") return { spring: { stiffness_n_m } };
  return {
    tie: {
      stiffness_n_m,
      ...(prestress > 0 ? { prestress_n: 1e3 * prestress } : {}),
      ...(strength > 0 ? { yield_n: 1e3 * strength } : {}),
      ...(rupture > 0 ? { rupture_elongation_m: 1e-3 * rupture } : {}),
    },
  };
}

/** A tie in a few words. */
export function tieWords({ name, kind }: Tie): string {
  if (kind === "rigid_rod") return `${name}: rigid rod`;
  if ("spring" in kind) return `${name}: spring`;
  if ("tension_spring" in kind) return `${name}: tension spring`;
  const { yield_n, prestress_n } = kind.tie;
  const parts = [prestress_n ? `${force(prestress_n)} prestress` : "", yield_n ? `yields at ${force(yield_n)}` : ""];
  return [`${name}: tie rod`, ...parts.filter(Boolean)].join(", ");
}
