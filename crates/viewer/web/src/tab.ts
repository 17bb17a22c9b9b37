/**
 * Which tab this is: an id that a reload keeps and that no two tabs have. Browsers copy the session of a tab into its
 * duplicate, so an id counts only while it is held.
 */

const STORED = "drystone.tab";
const NAME = "drystone.tab.";
/** After a reload the id may still be held by the page that is just going. */
const PATIENCE_MS = 1000;
/** How long other tabs have for an answer where the browser has no locks. */
const ANSWER_MS = 250;

/** An id that is held; `release` lets it go. */
export interface Held {
  id: string;
  release: () => void;
}

let current: Held = { id: unused(), release: () => {} };

/** An id that no tab has. */
export function unused(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Absent where the page comes over plain http from another machine. */
const locks = (): LockManager | undefined => navigator.locks;

// Without locks, tabs ask each other.
const channel = locks() ? null : new BroadcastChannel("drystone.tabs");
let holding = "";
channel?.addEventListener("message", ({ data }) => {
  if (data === "who" && holding) channel.postMessage({ here: holding });
});

async function answered(): Promise<Set<string>> {
  const ids = new Set<string>();
  const listen = ({ data }: MessageEvent) => typeof data?.here === "string" && ids.add(data.here);
  channel?.addEventListener("message", listen);
  channel?.postMessage("who");
  await new Promise((settle) => setTimeout(settle, ANSWER_MS));
  channel?.removeEventListener("message", listen);
  return ids;
}

/** Holds an id, or gives null where another tab does. */
export async function reserve(id: string, patience = false): Promise<Held | null> {
  const manager = locks();
  if (!manager) return (await answered()).has(id) ? null : { id, release: () => void (holding = holding === id ? "" : holding) };
  return new Promise((settle) => {
    const options: LockOptions = patience ? { signal: AbortSignal.timeout(PATIENCE_MS) } : { ifAvailable: true };
    manager
      .request(NAME + id, options, (lock) => (lock ? new Promise<void>((release) => settle({ id, release })) : settle(null)))
      .catch(() => settle(null));
  });
}

/** Ids of tabs that are open, without this one; null where the browser does not tell. */
export async function others(): Promise<Set<string> | null> {
  const manager = locks();
  let ids: Set<string>;
  try {
    ids = manager
      ? new Set(((await manager.query()).held ?? []).flatMap(({ name }) => (name?.startsWith(NAME) ? [name.slice(NAME.length)] : [])))
      : await answered();
  } catch {
    return null;
  }
  ids.delete(current.id);
  return ids;
}

export const tabId = () => current.id;

/** Makes this the tab of an id that is held. */
export function become(held: Held): void {
  if (held !== current) current.release();
  current = held;
  holding = held.id;
  try {
    sessionStorage.setItem(STORED, held.id);
  } catch {
    /* no storage: a reload makes another tab of it */
  }
}

/** Makes this a tab that never was, and gives its id: what is kept of the one before stays. */
export function becomeAnother(): string {
  const held: Held = { id: unused(), release: () => {} };
  become(held);
  void reserve(held.id).then((now) => {
    if (now && current === held) become(now);
    else now?.release();
  });
  return held.id;
}

/** At the first connection. Gives the id under which this tab's model is kept: its own, or that of the tab it was copied from. */
export async function enter(): Promise<string | null> {
  let stored: string | null = null;
  try {
    stored = sessionStorage.getItem(STORED);
  } catch {
    /* no storage */
  }
  const own = stored === null ? null : await reserve(stored, true);
  if (own) become(own);
  else becomeAnother();
  return stored;
}

/** While there is no server nothing changes here, and another tab may go on with what is kept. */
export function letGo(): void {
  current.release();
  current.release = () => {};
  holding = "";
}

/** After `letGo`. False where another tab has gone on with it: then this one is another. */
export async function holdAgain(): Promise<boolean> {
  const held = await reserve(current.id, true);
  if (held) become(held);
  else becomeAnother();
  return held !== null;
}
