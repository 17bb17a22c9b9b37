/** Columns of the tables of joints and blocks: what stands in them, in which unit, and in which order. */

import { significant } from "./format";
import { type JointNumbers, displacementOf, jointReader, massOf, supportsNow } from "./numbers";
import * as state from "./state";
import { type Quantity, unitFor } from "./units";

export interface Column<Row> {
  id: string;
  label: string;
  /** A quantity has a unit, which stands in the heading; a share is told in percent. */
  kind: Quantity | "percent" | "plain" | "text";
  /** In SI units; null where there is none. */
  value: (row: Row) => number | string | null;
}

export interface BlockRow {
  block: number;
  name: string;
  group: string;
  support: boolean;
  mass_kg: number;
  volume_m3: number;
  height_m: number;
  joints: number;
  force_n: number | null;
  displacement_m: number | null;
}

export interface JointRow extends JointNumbers {
  between: string;
}

/** Whatever has no value in any row is left out. */
export const JOINT_COLUMNS: Column<JointRow>[] = [
  { id: "joint", label: "Joint", kind: "plain", value: (row) => row.joint },
  { id: "between", label: "Between", kind: "text", value: (row) => row.between },
  { id: "normal", label: "Normal force", kind: "force", value: (row) => row.normal_n },
  { id: "shear", label: "Shear", kind: "force", value: (row) => row.shear_n },
  { id: "use", label: "Friction in use", kind: "percent", value: (row) => row.use },
  { id: "friction", label: "µ", kind: "plain", value: (row) => (row.friction === null ? null : Number(row.friction.toPrecision(4))) },
  { id: "pressure", label: "Largest pressure", kind: "pressure", value: (row) => row.pressure_pa },
  { id: "tension", label: "Tension", kind: "force", value: (row) => row.tension_n || null },
  { id: "state", label: "State", kind: "text", value: (row) => row.state },
  { id: "opening", label: "Opening", kind: "length", value: (row) => row.opening_m },
  { id: "slip", label: "Slip", kind: "length", value: (row) => row.slip_m },
  { id: "area", label: "Area", kind: "area", value: (row) => row.area_m2 },
];

export const BLOCK_COLUMNS: Column<BlockRow>[] = [
  { id: "block", label: "Block", kind: "text", value: (row) => row.name },
  { id: "group", label: "Group", kind: "text", value: (row) => row.group || null },
  { id: "support", label: "Support", kind: "text", value: (row) => (row.support ? "yes" : "no") },
  { id: "mass", label: "Mass", kind: "mass", value: (row) => row.mass_kg },
  { id: "volume", label: "Volume", kind: "volume", value: (row) => row.volume_m3 },
  { id: "height", label: "Height of centre", kind: "length", value: (row) => row.height_m },
  { id: "joints", label: "Joints", kind: "plain", value: (row) => row.joints },
  { id: "force", label: "Largest joint force", kind: "force", value: (row) => row.force_n },
  { id: "displacement", label: "Displacement", kind: "length", value: (row) => row.displacement_m },
];

const SI: Record<Quantity, string> = { length: "m", area: "m2", volume: "m3", mass: "kg", density: "kg_m3", force: "n", pressure: "pa", energy: "j", speed: "m_s", stiffness: "n_m" };

export function jointTable(): JointRow[] {
  const [model, geometry, read] = [state.model(), state.geometry(), jointReader()];
  if (!model || !geometry || !read) return [];
  return Array.from({ length: geometry.joint_start.length - 1 }, (_, joint) => {
    const numbers = read(joint);
    const [a, b] = numbers.blocks.map((block) => model.blocks[block]!.name);
    return { ...numbers, between: `${a} – ${b}` };
  });
}

export function blockTable(): BlockRow[] {
  const [model, geometry, read] = [state.model(), state.geometry(), jointReader()];
  if (!model || !geometry || !read) return [];
  const joints = new Uint32Array(model.blocks.length);
  const most = new Float64Array(model.blocks.length).fill(-1);
  for (let joint = 0; joint + 1 < geometry.joint_start.length; joint++) {
    const { blocks, normal_n, shear_n } = read(joint);
    for (const block of blocks) {
      joints[block]!++;
      if (normal_n !== null) most[block] = Math.max(most[block]!, Math.hypot(normal_n, shear_n!));
    }
  }
  const isFixed = supportsNow();
  return model.blocks.map((block, index) => ({
    block: index,
    name: block.name,
    group: block.group ?? "",
    support: isFixed(block),
    mass_kg: massOf(block),
    volume_m3: block.volume_m3,
    height_m: block.center[2],
    joints: joints[index]!,
    force_n: most[index]! < 0 ? null : most[index]!,
    displacement_m: displacementOf(index),
  }));
}

/** Columns that say anything. */
export const told = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]) => columns.filter(({ value }) => rows.some((row) => value(row) !== null));

/** What is without a value comes last, whichever way the order is. */
export function sorted<Row>(rows: readonly Row[], column: Column<Row> | undefined, down: boolean): Row[] {
  if (!column) return [...rows];
  const { value } = column;
  const names = new Intl.Collator("en", { numeric: true });
  const way = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return way * (typeof x === "string" ? names.compare(x, String(y)) : x - Number(y));
  });
}

/** A heading with its unit, and how values stand beneath it: one unit for a column. */
export function cells<Row>(column: Column<Row>, rows: readonly Row[]): { head: string; text: (row: Row) => string } {
  const { label, kind, value } = column;
  if (kind === "text" || kind === "plain") return { head: label, text: (row) => String(value(row) ?? "–") };
  const unit = kind === "percent" ? { name: "%", si: 0.01 } : unitFor(kind, rows.reduce((most, row) => Math.max(most, Math.abs(Number(value(row) ?? 0))), 0));
  return {
    head: `${label} (${unit.name})`,
    text: (row) => {
      const found = value(row);
      return found === null ? "–" : significant(Number(found) / unit.si);
    },
  };
}

const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** SI units, named in the headings, and all digits that are known. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const head = columns.map(({ id, kind }) => (kind === "text" || kind === "plain" ? id : kind === "percent" ? `${id}_ratio` : `${id}_${SI[kind]}`));
  const lines = rows.map((row) => columns.map(({ value }) => quoted(String(value(row) ?? ""))).join(","));
  return `${[head.join(","), ...lines].join("\n")}\n`;
}
