/** Building, opening and saving models. */

import { download } from "../download";
import { plural } from "../format";
import * as state from "../state";
import { importAsked } from "./import";
import { type Given, ask, askModelNow, greet, inTurn, say } from "./server";
import { showStoredRun } from "./shake";
import { showStudy } from "./study";

export const FIRST_RECIPE = "spandrel-arch";

/** Base64 of a file's bytes, in pieces: one call on 64 MiB would overflow the stack. */
export async function base64(file: Blob): Promise<string> {
  const data = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(text);
}

let building: object | null = null;

/** Whether a newer build than the one just answered is wanted. */
export const buildWaits = () => building !== null;

/** Builds a recipe; of those that wait only the newest is built. */
export function build(recipe: string, values: Record<string, string>, given: Given = {}, keep_edits = false): Promise<void> {
  const mine = { recipe, values, keep_edits };
  building = mine;
  return inTurn(async () => {
    if (building !== mine) return;
    building = null;
    try {
      await askModelNow("build", mine, given);
      state.notice.update((now) => (now?.tone === "error" ? null : now));
    } catch (error) {
      say(error);
    }
  });
}

/** True where it was opened; otherwise the banner says why not, and nothing else changed. */
export async function openPath(path: string): Promise<boolean> {
  const kind = state.hello.peek()?.files.find((file) => file.path === path)?.kind;
  return opening(`Opening ${path}`, async () => (kind === "import" ? importedAs(path, { path }) : { path }));
}

/** What to open once a person has said what the files do not; null where that was not wanted. */
async function importedAs(name: string, what: Record<string, unknown>): Promise<Record<string, unknown> | null> {
  const given = await importAsked(name, what);
  return given && { imported: given };
}

export async function openFiles(files: File[]): Promise<boolean> {
  const limit = state.hello.peek()?.limits.upload_bytes ?? 64 * 1024 * 1024;
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total > limit) {
    say(new Error(`${plural(files.length, "file")} of ${Math.round(total / 2 ** 20)} MiB: at most ${Math.round(limit / 2 ** 20)} MiB can be opened here.`));
    return false;
  }
  const name = files.map((file) => file.name).join(", ");
  return opening(`Opening ${name}`, async () => {
    const sent = await Promise.all(files.map(async (file) => ({ name: file.name, base64: await base64(file) })));
    return importedAs(name, { files: sent });
  });
}

async function opening(says: string, read: () => Promise<Record<string, unknown> | null>): Promise<boolean> {
  state.busy.set(says);
  try {
    const what = await read();
    if (!what) return false;
    await inTurn(async () => {
      const { model, id } = await askModelNow("open", what);
      if (!model.problems.length) state.notice.set(null);
      if (model.run) await showStoredRun(id);
      if (model.study) showStudy(model.study.path, model);
    });
    return true;
  } catch (error) {
    say(error);
    return false;
  } finally {
    state.busy.set(null);
  }
}

export async function saveDownload(): Promise<void> {
  const answer = await ask<{ model: unknown }>("save");
  if (answer) download(`${state.model.peek()?.name ?? "model"}.json`, JSON.stringify(answer.model, null, 2));
}

export async function saveInFolder(path: string): Promise<void> {
  const answer = await ask<{ path: string }>("save", { path });
  if (!answer) return;
  state.notice.set({ tone: "info", text: `Saved as ${answer.path}.` });
  // The list of files has grown.
  await greet();
}
