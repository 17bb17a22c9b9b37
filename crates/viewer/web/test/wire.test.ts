import { describe, expect, it } from "vitest";
import { decodeBinary } from "../src/wire/binary";

function message(header: object, body: Uint8Array): ArrayBuffer {
  let text = JSON.stringify(header);
  while (new TextEncoder().encode(text).length % 4) text += " ";
  const head = new TextEncoder().encode(text);
  const buffer = new ArrayBuffer(12 + head.length + body.length);
  const view = new DataView(buffer);
  view.setUint32(0, 2, true);
  view.setUint32(4, 7, true);
  view.setUint32(8, head.length, true);
  new Uint8Array(buffer, 12).set(head);
  new Uint8Array(buffer, 12 + head.length).set(body);
  return buffer;
}

describe("binary messages", () => {
  it("hold arrays of three types, each from a multiple of four bytes", () => {
    const body = new Uint8Array(16);
    body.set([1, 2, 3]);
    new DataView(body.buffer).setFloat32(4, 0.5, true);
    new DataView(body.buffer).setFloat32(8, -1, true);
    new DataView(body.buffer).setUint32(12, 9, true);
    const read = decodeBinary(
      message(
        { a: "é", arrays: [{ name: "state", type: "u8", length: 3 }, { name: "use", type: "f32", length: 2 }, { name: "joint", type: "u32", length: 1 }] },
        body,
      ),
    );
    expect([read.kind, read.id, read.header.a]).toEqual([2, 7, "é"]);
    expect([...read.arrays.state!]).toEqual([1, 2, 3]);
    expect([...read.arrays.use!]).toEqual([0.5, -1]);
    expect([...read.arrays.joint!]).toEqual([9]);
  });

  it("that say more than they hold are refused", () => {
    expect(() => decodeBinary(message({ arrays: [{ name: "use", type: "f32", length: 2 }] }, new Uint8Array(4)))).toThrow("use");
    expect(() => decodeBinary(new ArrayBuffer(8))).toThrow("no header");
  });
});
