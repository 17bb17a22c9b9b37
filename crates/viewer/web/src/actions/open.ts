/** Building, opening, saving and keeping models. */

import { download } from "../download";
import { plural } from "../format";
import { forget, type Kept, recall, remember } from "../persist";
import * as state from "../state";
import { Disconnected, ServerError } from "../wire/socket";
import type { Model } from "../wire/types";
import { ask, askModel, greet, onModel, say, socket, visit } from "./server";
import { showStoredRun } from "./shake";

export const FIRST_RECIPE = "spandrel-arch";

/** Base64 of a file's bytes, in pieces: one call on 64 MiB would overflow the stack. */
export async function base64(file: Blob): Promise<string> {
  const data = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(text);
}

let building: { recipe: string; values: Record<string, string> } | null = null;
let buildRunning = false;

/** Whether a newer build than the one just answered is wanted. */
export const buildWaits = () => building !== null;

/** Builds a recipe; while one is being built only the newest of those that wait is kept. */
export async function build(recipe: string, values: Record<string, string>): Promise<void> {
  building = { recipe, values };
  if (buildRunning) return;
  buildRunning = true;
  try {
    while (building) {
      const next: { recipe: string; values: Record<string, string> } = building;
      building = null;
      try {
        await askModel("build", next);
        state.notice.update((now) => (now?.tone === "error" ? null : now));
      } catch (error) {
        say(error);
      }
    }
  } finally {
    buildRunning = false;
  }
}

/** True where it was opened; otherwise the banner says why not, and nothing else changed. */
export async function openPath(path: string): Promise<boolean> {
  return opening(`Opening ${path}`, () => askModel("open", { path }));
}

export async function openFiles(files: File[]): Promise<boolean> {
  const limit = state.hello.peek()?.limits.upload_bytes ?? 64 * 1024 * 1024;
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total > limit) {
    say(new Error(`${plural(files.length, "file")} of ${Math.round(total / 2 ** 20)} MiB: at most ${Math.round(limit / 2 ** 20)} MiB can be opened here.`));
    return false;
  }
  return opening(`Opening ${files.map((file) => file.name).join(", ")}`, async () => {
    const sent = await Promise.all(files.map(async (file) => ({ name: file.name, base64: await base64(file) })));
    return askModel("open", { files: sent });
  });
}

async function opening(says: string, open: () => Promise<{ model: Model; id: number }>): Promise<boolean> {
  state.busy.set(says);
  try {
    const { model, id } = await open();
    if (!model.problems.length) state.notice.set(null);
    if (model.run) await showStoredRun(id);
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

/** The model as the server last gave it away: what it is handed after the connection broke. Storage may hold another tab's. */
let last: Kept | null = null;
/** Revision of the model that `last` is. */
let lastRevision = 0;
let saving = false;
let newest: Model;
let writing = Promise.resolve();
let toldOfStorage = false;

/** Asks for the model as soon as it has changed, ahead of any question about it. */
function keep(model: Model): void {
  newest = model;
  if (model.recipe) return hold(null, model);
  // The server answers in order: one that is still on its way brings this change as well.
  if (!saving) void save();
}

async function save(): Promise<void> {
  saving = true;
  try {
    const { json } = await socket.ask("save").answer;
    hold(json.model, newest);
  } catch (error) {
    if (!(error instanceof Disconnected)) say(error);
  } finally {
    saving = false;
  }
}

function hold(saved: unknown, { recipe, revision }: Model): void {
  const kept = { model: recipe ? null : saved, recipe, visit, when: Date.now() };
  last = kept;
  lastRevision = revision;
  writing = writing.then(async () => {
    // Only the newest of those that wait is written.
    if (last !== kept || (await remember(kept)) || toldOfStorage || state.notice.peek()) return;
    toldOfStorage = true;
    state.notice.set({ tone: "info", text: "This browser stores nothing here: reloading the page loses the model.", help: "Save it to keep it." });
  });
}

/** Edits leave no recipe behind, so what has one is as it was built, and its sliders come back with it. */
const give = (kept: Kept, handedBack: boolean) =>
  kept.recipe
    ? askModel("build", { recipe: kept.recipe.name, values: kept.recipe.values }, handedBack)
    : askModel("open", { model: kept.model }, handedBack);

/** Shows what an earlier load of the page kept. False where there is none, or where the server refuses it. */
async function restore(kept: Kept | null | undefined): Promise<boolean> {
  if (!kept) return false;
  try {
    await give(kept, false);
    return true;
  } catch (error) {
    // A connection that broke, or another model that was asked for meanwhile, says nothing about this one.
    if (!(error instanceof ServerError) || error instanceof Disconnected) throw error;
    await forget();
    return false;
  }
}

/** Hands the server the model on screen, which it lost with the connection. */
async function handBack(): Promise<void> {
  if (!last) {
    state.notice.set({ tone: "error", text: "Connected again, but the connection broke before the model was kept.", help: "Open it again." });
    return;
  }
  const whole = lastRevision === state.model.peek()?.revision;
  await give(last, true);
  state.notice.set({
    tone: "info",
    text: whole ? "Connected again. Your model was handed back to the server." : "Connected again. Your model is back as it was before the last change.",
  });
}

let keeps = false;

/** At every connection: the first shows something, later ones hand the server what it lost. */
export async function begin(): Promise<void> {
  try {
    const hello = await greet();
    if (!keeps) onModel(keep);
    keeps = true;
    if (state.model.peek()) return await handBack();
    const kept = await recall();
    const own = kept?.visit === visit;
    if (hello.opened && !own) await openPath(hello.opened);
    else if (await restore(kept)) {
      if (!own)
        state.notice.set({
          tone: "info",
          text: "Your last model is back.",
          action: { label: "Start afresh", run: () => void build(FIRST_RECIPE, {}) },
        });
      else state.notice.update((now) => (now?.tone === "error" ? null : now));
    } else await build(FIRST_RECIPE, {});
  } catch (error) {
    say(error);
  }
}
