/** A study in words: how far it is, and what its runs were given and came to. */

import { plural, shown, significant, words } from "./format";
import type { Quantity } from "./units";
import type { Study, StudyRow, StudyRun } from "./wire/types";

/** How far it is, in a line. */
export function progressWords({ runs, done, failed, complete }: Pick<Study, "runs" | "done" | "failed" | "complete">): string {
  const failures = failed ? `, ${failed} failed` : "";
  if (complete) return done === 1 ? `The run has ended${failures}.` : `All ${plural(done, "run")} have ended${failures}.`;
  return `${done} of ${plural(runs, "run")} have ended${failures}. New ones appear by themselves.`;
}

/** Rows with all the words that are looked for, of the runs that are meant. */
export function rowsWith(rows: readonly StudyRow[], wanted: string, among: ReadonlySet<string> | null): StudyRow[] {
  const all = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = `${row.label} ${row.says}`.toLowerCase();
    return (!among || among.has(row.run)) && all.every((word) => text.includes(word));
  });
}

/** What stands for how a run came out: beside its name, and before its words. */
export const outcomeOf = ({ falls, failed }: Pick<StudyRow, "falls" | "failed">) => (failed ? "failed" : falls === null ? "none" : falls ? "falls" : "stands");

/** Endings of names that say a unit. */
const UNITS: [string, string][] = [["_n_m3", "N/m³"], ["_m_s2", "m/s²"], ["_deg", "°"], ["_s", "s"], ["_g", "g"]];
/** Endings of names that say a quantity with units of display; longer ones first. */
const QUANTITIES: [string, Quantity][] = [["_m_s", "speed"], ["_pa", "pressure"], ["_m", "length"], ["_n", "force"], ["_j", "energy"]];

/** A field as a row of a table: its name in words, its value with its unit. */
export function fact(name: string, value: unknown): [string, string] {
  const [suffix, quantity] = QUANTITIES.find(([each]) => name.endsWith(each)) ?? ["", null];
  if (quantity && typeof value === "number") return [words(name.slice(0, -suffix.length)), shown(quantity, value)];
  const [ending, unit] = UNITS.find(([each]) => name.endsWith(each) && name.length > each.length && typeof value === "number") ?? ["", ""];
  const label = words(name.slice(0, name.length - ending.length));
  return [label, `${said(value)}${unit === "°" ? unit : unit && ` ${unit}`}`];
}

function said(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : significant(value, 4);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(said).join(", ");
  return String(value).replaceAll("_", " ");
}

/** What is told first of each kind of run. */
const FIRST: Record<StudyRun["asks"], string[]> = {
  simulate: ["ended", "collapse", "collapse_time_s", "max_displacement_m", "residual_drift_m", "simulated_s"],
  check: ["verdict", "proven", "reason", "unstable_blocks", "max_force_n", "tension_n"],
  limit: ["multiplier", "upper_bound", "lower_proven", "upper_proven", "conclusion", "note"],
  tilt: ["critical_tilt_deg", "status", "lower_deg", "upper_deg", "lower_proven", "upper_proven"],
};

/** Its results: what matters first, and then all others. */
export function resultsOf({ asks, result }: Pick<StudyRun, "asks" | "result">): { first: [string, string][]; others: [string, string][] } {
  const first = FIRST[asks].filter((name) => name in result);
  const others = Object.keys(result).filter((name) => !first.includes(name));
  const rows = (names: string[]) => names.map((name) => fact(name, result[name]));
  return { first: rows(first), others: rows(others) };
}

/** Parameters as rows; those that are left empty are not told. */
export const parametersOf = (parameters: Record<string, unknown>) => Object.entries(parameters).filter(([, value]) => value !== "").map(([name, value]) => fact(name, value));
