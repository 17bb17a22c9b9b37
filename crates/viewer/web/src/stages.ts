/** Stages of slow loading: put together, told in words, read from files and written to them. */

import { length, plural, significant } from "./format";
import type { Equilibrium, SettleEnd, Stage, Vec3 } from "./wire/types";

const AXES = ["x", "y", "z"] as const;
/** As a person has typed it. */
const typed = (value: number) => String(Number(value.toPrecision(6)));

/** `y`, `−y`, or the components of an axis that is none of the world's. */
function axisWords(axis: Vec3): string {
  const along = axis.findIndex((each) => each !== 0);
  if (axis.filter((each) => each !== 0).length !== 1) return axis.map(typed).join(", ");
  return `${axis[along]! < 0 ? "−" : ""}${AXES[along]}`;
}

function moveWords({ blocks, by, turn_deg, about }: NonNullable<Stage["move"]>[number]): string {
  const parts = [];
  if (by?.some((each) => each !== 0)) parts.push(`by ${by.map((each, k) => (each === 0 ? "" : `${length(each)} along ${AXES[k]}`)).filter(Boolean).join(", ")}`);
  if (turn_deg?.some((each) => each !== 0)) parts.push(`turned by ${turn_deg.map(typed).join(", ")}°${about ? " about a point" : ""}`);
  return `${listed(blocks)} moved ${parts.join(", ") || "by nothing"}`;
}

const listed = (names: readonly string[]) => (names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} others` : names.join(", "));

/** What a stage does. `index` counts from zero: in the first the weight comes by itself. */
export function stageWords(stage: Stage, index: number): string {
  const parts: string[] = [];
  if (stage.build?.length) parts.push(`${listed(stage.build)} built`);
  if (stage.remove?.length) parts.push(`${listed(stage.remove)} removed`);
  const gravity = stage.gravity ?? (index === 0 ? 1 : undefined);
  if (gravity !== undefined) parts.push(gravity === 1 ? "full weight" : `weight × ${typed(gravity)}`);
  for (const [name, factor] of Object.entries(stage.loads ?? {})) parts.push(stage.control ? `load ${name} as found` : `load ${name} × ${typed(factor)}`);
  if (stage.control) parts.push(`${stage.control.block} moved by ${length(stage.control.to_m)}`);
  if (stage.tilt) parts.push(`tilted to ${typed(stage.tilt.angle_deg)}° about ${axisWords(stage.tilt.axis)}`);
  for (const moved of stage.move ?? []) parts.push(moveWords(moved));
  if (stage.shrinkage_m !== undefined) parts.push(`joints shrunk by ${length(stage.shrinkage_m)}`);
  const text = parts.join("; ") || "nothing changes";
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const stageName = (stage: Stage | undefined, index: number) => stage?.name || `stage ${index + 1}`;

/** With one of them somewhere else. */
export function reordered<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [taken] = next.splice(from, 1);
  if (taken !== undefined) next.splice(to, 0, taken);
  return next;
}

/** The file that `drystone settle --stages` reads. */
export const stagesText = (stages: readonly Stage[]) => `${JSON.stringify({ stages }, null, 2)}\n`;

/** Stages of a file; what is in them is judged by the server. Throws with what is wrong. */
export function readStages(text: string): Stage[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const stages = (read as { stages?: unknown } | null)?.stages;
  if (!Array.isArray(stages) || !stages.length || !stages.every((each) => each !== null && typeof each === "object" && !Array.isArray(each)))
    throw new Error("it must be an object with `stages`, a list of one stage or more");
  return stages as Stage[];
}

interface Supported {
  readonly name: string;
  readonly group: string | null;
}

/** What can be moved: groups that are supports altogether, then single supports. */
export function movable(blocks: readonly Supported[], isFixed: (name: string) => boolean): string[] {
  const groups = new Map<string, boolean>();
  for (const { name, group } of blocks) if (group) groups.set(group, (groups.get(group) ?? true) && isFixed(name));
  const names = blocks.filter(({ name }) => isFixed(name)).map(({ name }) => name);
  return [...new Set([...[...groups].filter(([, all]) => all).map(([name]) => name), ...names])];
}

/** Angle of the tilt of an equilibrium, in degrees. */
export const tiltOf = (point: Pick<Equilibrium, "tilt_deg">) => Math.hypot(...point.tilt_deg);

export interface CurveKind {
  /** `load`, `tilt` or `progress`. */
  value: string;
  label: string;
}

/** What can be plotted of a path: loads first, then the tilt; the progress always. */
export function curveKinds(points: readonly Equilibrium[]): CurveKind[] {
  const last = points.at(-1);
  const kinds = Object.keys(last?.loads ?? {}).map((name) => ({ value: `load ${name}`, label: `Load “${name}”` }));
  if (points.some((point) => tiltOf(point) > 0)) kinds.push({ value: "tilt", label: "Tilt" });
  return [...kinds, { value: "progress", label: "Stages" }];
}

export interface CurveData {
  title: string;
  x: number[];
  y: number[];
  /** Units of both; those that are empty have none. */
  units: [string, string];
  /** The equilibrium that each point is, from zero. */
  index: number[];
}

/** The points of a curve of a path, as `drystone settle` plots them. */
export function curveOf(points: readonly Equilibrium[], kind: string): CurveData {
  const all = points.map((point, index) => ({ point, index }));
  if (kind.startsWith("load ")) {
    const name = kind.slice(5);
    const acting = all.filter(({ point }) => point.along_loads_m !== 0 || (point.loads[name] ?? 0) !== 0);
    return {
      title: `Factor of ${name} over displacement along the loads`,
      x: acting.map(({ point }) => point.along_loads_m), y: acting.map(({ point }) => point.loads[name] ?? 0),
      units: ["m", ""], index: acting.map(({ index }) => index),
    };
  }
  const moved = points.map((point) => point.max_displacement_m);
  if (kind === "tilt") return { title: "Tilt over largest displacement", x: moved, y: points.map(tiltOf), units: ["m", "°"], index: all.map(({ index }) => index) };
  return { title: "Largest displacement over stages", x: points.map((point) => point.stage + point.done), y: moved, units: ["stages", "m"], index: all.map(({ index }) => index) };
}

/** The equilibrium in words: `54.5 % of tilt`. */
export const placeWords = (stages: readonly Stage[], point: Pick<Equilibrium, "stage" | "done">) => `${percent(point.done)} of ${stageName(stages[point.stage], point.stage)}`;

export const percent = (part: number) => `${part === 1 || part === 0 ? 100 * part : significant(100 * part)}\u00a0%`;

/** What stands above the conclusion. Only what is proven is called so: a search may also end without an equilibrium that there is. */
export function outcome(path: { end: Pick<SettleEnd, "end" | "ends_in" | "no_forces"> | null; error: string | null }): { word: string; verdict: "stable" | "unstable" | "undecided" | "none" | "error" } {
  if (path.error !== null) return { word: "Not followed to the end", verdict: "error" };
  if (!path.end) return { word: "Loading…", verdict: "none" };
  if (path.end.end === "completed") return { word: "Stands through all stages", verdict: "stable" };
  if (path.end.end !== "no_equilibrium") return { word: path.end.end === "stopped" ? "Stopped" : "No room for more", verdict: "none" };
  const [stage, [done]] = path.end.ends_in ?? ["", [0]];
  const where = `beyond ${percent(done)} of ${stage}`;
  return path.end.no_forces ? { word: `No equilibrium ${where}`, verdict: "unstable" } : { word: `No equilibrium found ${where}`, verdict: "undecided" };
}

/** Joints that are marked, in words. */
export const jointWords = (count: number, most: number) => (count ? `${plural(count, "joint")}, up to ${length(most)}` : "none");
