import { expect, test } from "vitest";
import { decode } from "../src/embed/data";

/** A message as the Python package writes it. */
function message(header: object, arrays: Record<string, Float32Array | Uint32Array | Uint8Array>): ArrayBuffer {
  const listed = Object.entries(arrays).map(([name, array]) => ({
    name,
    type: array instanceof Float32Array ? "f32" : array instanceof Uint32Array ? "u32" : "u8",
    length: array.length,
  }));
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: listed }));
  const padded = (bytes: Uint8Array) => [...bytes, ...new Array((4 - (bytes.length % 4)) % 4).fill(0)];
  const start = new Uint8Array(new Uint32Array([0, 0, text.length]).buffer);
  const parts = Object.values(arrays).map((array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return Uint8Array.from([...start, ...padded(text), ...parts.flatMap(padded)]).buffer;
}

/** Whole numbers by part and frame, as differences, packed in two planes. */
function packed(rows: number[][]): Uint8Array {
  const steps = rows.flatMap((row) => row.map((value, k) => value - (k ? row[k - 1]! : 0))).map((step) => (step << 1) ^ (step >> 31));
  return Uint8Array.from([...steps.map((step) => step & 255), ...steps.map((step) => (step >> 8) & 255)]);
}

const SQUARE = Float32Array.from([0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0]);

test("a frame is a displacement and a turn of each block", () => {
  const quarter = Math.round(Math.PI / 2 / 0.001);
  const rows = [[0, 300, -4000], [0, 0, 0], [0, 0, 8191], [0, 0, 0], [0, 0, 0], [0, 0, quarter]];
  const figure = decode(message({ units: [0.01, 0.001] }, { centers: Float32Array.from([1, 2, 3]), moved: packed(rows) }));
  expect(figure.frames.map((frame) => frame[0])).toEqual([1, 4, -39]);
  expect(figure.frames[2]![2]).toBeCloseTo(3 + 81.91, 4);
  expect(figure.frames[1]!.slice(3)).toEqual(Float32Array.from([0, 0, 0, 1]));
  expect(figure.frames[2]![5]).toBeCloseTo(Math.SQRT1_2, 3);
  expect(figure.frames[2]![6]).toBeCloseTo(Math.SQRT1_2, 3);
});

test("a polygon becomes triangles about its block's centre that look outwards", () => {
  const arrays = {
    centers: Float32Array.from([1, 1, 0]),
    vertices: SQUARE,
    face_corners: Uint32Array.from([0, 1, 2, 3]),
    face_start: Uint32Array.from([0, 4]),
    face_block: Uint32Array.from([0]),
  };
  const { geometry } = decode(message({ units: [1, 1] }, arrays));
  expect(geometry.positions.slice(0, 3)).toEqual(Float32Array.from([-1, -1, 0]));
  expect(geometry.normals.slice(0, 3)).toEqual(Float32Array.from([0, 0, 1]));
  expect(geometry.triangles.length).toBe(6);
  const at = (corner: number) => geometry.positions.subarray(3 * corner, 3 * corner + 2);
  for (let k = 0; k < 6; k += 3) {
    const [a, b, c] = [0, 1, 2].map((part) => at(geometry.triangles[k + part]!)) as [Float32Array, Float32Array, Float32Array];
    expect((b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!)).toBeGreaterThan(0);
  }
  expect(geometry.edges.length).toBe(8);
});

test("an edge between faces in one plane is not drawn", () => {
  const arrays = {
    centers: Float32Array.from([1, 1, 0]),
    vertices: SQUARE,
    face_corners: Uint32Array.from([0, 1, 2, 0, 2, 3]),
    face_start: Uint32Array.from([0, 3, 6]),
    face_block: Uint32Array.from([0, 0]),
  };
  const { geometry } = decode(message({ units: [1, 1] }, arrays));
  expect(geometry.edges.length).toBe(8);
  expect([...geometry.face]).toEqual([0, 1]);
});
