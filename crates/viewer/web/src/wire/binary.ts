/** Binary messages: a kind, the question's id, a JSON header, then typed arrays (docs/viewer-protocol.md). */

export interface BinaryMessage {
  kind: number;
  id: number;
  header: Record<string, unknown>;
  arrays: Record<string, Float32Array | Uint32Array | Uint8Array>;
}

interface ArrayEntry {
  name: string;
  type: "f32" | "u32" | "u8";
  length: number;
}

const BYTES = { f32: 4, u32: 4, u8: 1 } as const;

/** Views into the message's own buffer: nothing is copied. Throws on a message that says more than it holds. */
export function decodeBinary(buffer: ArrayBuffer): BinaryMessage {
  if (buffer.byteLength < 12) throw new Error(`a binary message of ${buffer.byteLength} bytes has no header`);
  const start = new DataView(buffer);
  const kind = start.getUint32(0, true);
  const id = start.getUint32(4, true);
  const headerBytes = start.getUint32(8, true);
  // The length counts the header with or without its padding; the arrays start at the next multiple of 4 either way.
  const dataStart = 12 + Math.ceil(headerBytes / 4) * 4;
  if (dataStart > buffer.byteLength) throw new Error("a binary message ends within its header");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 12, headerBytes))) as Record<string, unknown>;

  const arrays: BinaryMessage["arrays"] = {};
  let at = dataStart;
  for (const entry of (header.arrays ?? []) as ArrayEntry[]) {
    const bytes = entry.length * BYTES[entry.type];
    if (at + bytes > buffer.byteLength) throw new Error(`array \`${entry.name}\` reaches beyond its message`);
    arrays[entry.name] =
      entry.type === "f32"
        ? new Float32Array(buffer, at, entry.length)
        : entry.type === "u32"
          ? new Uint32Array(buffer, at, entry.length)
          : new Uint8Array(buffer, at, entry.length);
    at += Math.ceil(bytes / 4) * 4;
  }
  return { kind, id, header, arrays };
}
