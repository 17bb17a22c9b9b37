/** Writing models into the browser's storage, one after another, and telling where that fails. */

import { type About, type Kept, remember } from "../persist";
import * as state from "../state";
import { effect, signal } from "../store";
import { becomeAnother, others, tabId, unused } from "../tab";
import { Places } from "./places";

/** This page, until it is reloaded. */
const WRITER = unused();

export const places = new Places();

/** Whether the last write failed. */
export const storageFails = signal(false);

/** Who had written last where this tab has gone on. */
const seen = new Map<string, string | undefined>();
/** Where another page has gone on with an id, that under which this one did. */
const moved = new Map<string, string>();
let newest: { id: string; kept: Kept } | null = null;
let writing: Promise<void> = Promise.resolve();

/** This tab goes on with what is kept under an id, as this writer has left it. */
export function goOnWith({ id, writer }: About): void {
  seen.set(id, writer);
  moved.delete(id);
}

/** Where it is kept that was to be kept under an id. */
export const placeOf = (id: string) => moved.get(id) ?? id;

/** Writes what is to be kept, after what waits before it; `then` is called whether that worked or not. */
export function write(about: About, kept: Kept, then: () => void): void {
  newest = { id: about.id, kept };
  writing = writing.then(async () => {
    // Of those that wait under one id only the newest is written.
    if (newest?.id === about.id && newest.kept !== kept) return;
    try {
      storageFails.set(!(await put({ ...about, writer: WRITER }, kept)));
    } catch {
      storageFails.set(true);
    }
    then();
  });
}

async function put(about: About, kept: Kept): Promise<boolean> {
  const id = placeOf(about.id);
  const done = await remember({ ...about, id }, kept, seen.get(id), others);
  if (done !== "taken") return done === "kept";
  const other = id === tabId() ? becomeAnother() : unused();
  for (const from of [about.id, id]) moved.set(from, other);
  places.rename(id, other);
  return (await remember({ ...about, id: other }, kept, undefined, others)) === "kept";
}

const WARNING: state.Notice = { tone: "info", text: "This browser stores nothing here: reloading the page loses the model.", help: "Save it to keep it." };

/** Warns once each time that writing begins to fail, as soon as nothing else is told. */
export function warnOfStorage(): void {
  let told = false;
  effect(() => {
    if (!storageFails()) {
      told = false;
      if (state.notice.peek() === WARNING) state.notice.set(null);
    } else if (!told && !state.notice()) {
      told = true;
      state.notice.set(WARNING);
    }
  });
}
