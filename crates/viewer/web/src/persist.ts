/** Models as they stand, one for each tab, in the browser's storage: what a reload or a closed tab must not lose. */

export interface Kept {
  /** Null where the recipe says it all. */
  model: unknown;
  recipe: { name: string; values: Record<string, string> } | null;
  /** Where the files are that the model names. */
  beside: string;
  /** The run's folder that it was opened from, unchanged since. */
  run: string | null;
  /** Name of the folder that the server had opened; absent from what earlier versions kept. */
  folder?: string | null;
}

/** What a list of them tells. */
export interface About {
  /** The tab that keeps it. */
  id: string;
  name: string;
  blocks: number;
  /** Of all its blocks: what its size goes by. */
  faces: number;
  /** Whether there is anything in it that its recipe or file does not have. */
  changed: boolean;
  /** The server that it was last with. */
  visit: string;
  /** The page that wrote it: ids may be taken for free that are not. Absent from what earlier versions kept. */
  writer?: string;
  when: number;
}

const ABOUT = "about";
const KEPT = "models";
/** Of closed tabs. */
const MOST_KEPT = 8;
/** Faces of all of those together, some 100 bytes each. */
const MOST_FACES = 500_000;

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("drystone", 2);
    request.onupgradeneeded = () => {
      for (const name of [...request.result.objectStoreNames]) request.result.deleteObjectStore(name);
      for (const name of [ABOUT, KEPT]) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
  });
}

async function transact<T>(mode: IDBTransactionMode, act: (about: IDBObjectStore, kept: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  // Browsers may refuse storage (private windows, full disks): the page then works without memory.
  try {
    const db = await database();
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction([ABOUT, KEPT], mode);
      const request = act(transaction.objectStore(ABOUT), transaction.objectStore(KEPT));
      // A disk that is full shows only when the transaction ends.
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("storage failed"));
    }).finally(() => db.close());
  } catch {
    return null;
  }
}

const changes = new BroadcastChannel("drystone.kept");

/** Told when another tab has kept or forgotten something. */
export const onKept = (listener: () => void) => changes.addEventListener("message", listener);
const tell = () => changes.postMessage("changed");

/** `taken`: another page has written there since, and nothing was. */
export type Written = "kept" | "taken" | "failed";

/**
 * Writes, unless a page other than `about.writer` and `seen` wrote last. `open` gives the ids of tabs whose models stay
 * whatever comes, or null where that is not known.
 */
export async function remember(about: About, kept: Kept, seen: string | undefined, open: () => Promise<ReadonlySet<string> | null>): Promise<Written> {
  let taken = false;
  const put = () =>
    transact("readwrite", (abouts, models) => {
      const there = abouts.get(about.id) as IDBRequest<About | undefined>;
      there.onsuccess = () => {
        taken = isTaken(there.result, about.writer, seen);
        if (taken) return;
        models.put(kept, about.id);
        abouts.put(about, about.id);
      };
      return there;
    });
  let done = await put();
  if (taken) return "taken";
  const others = await open();
  const gone = others ? tooMany(await list(), new Set([...others, about.id])) : [];
  if (gone.length) await forget(...gone);
  // Old ones may have filled the disk.
  if (done === null && gone.length) done = await put();
  tell();
  return done === null ? "failed" : "kept";
}

/** Whether what is there was written by neither of the two. */
export const isTaken = (there: About | undefined, writer: string | undefined, seen: string | undefined) =>
  there?.writer !== undefined && there.writer !== writer && there.writer !== seen;

export async function recall(id: string): Promise<{ about: About; kept: Kept } | null> {
  let about: About | undefined;
  const kept = await transact<Kept | undefined>("readonly", (abouts, models) => {
    const asked = abouts.get(id) as IDBRequest<About | undefined>;
    asked.onsuccess = () => (about = asked.result);
    return models.get(id) as IDBRequest<Kept | undefined>;
  });
  return about && kept ? { about, kept } : null;
}

/** Puts back what was forgotten. */
export async function putBack({ about, kept }: { about: About; kept: Kept }): Promise<void> {
  await transact("readwrite", (abouts, models) => {
    models.put(kept, about.id);
    return abouts.put(about, about.id);
  });
  tell();
}

/** All of them, the newest first. */
export async function list(): Promise<About[]> {
  const all = await transact<About[]>("readonly", (abouts) => abouts.getAll() as IDBRequest<About[]>);
  return (all ?? []).sort((a, b) => b.when - a.when);
}

export async function forget(...ids: string[]): Promise<void> {
  for (const id of ids)
    await transact("readwrite", (abouts, models) => {
      models.delete(id);
      return abouts.delete(id);
    });
  tell();
}

/** Which of those of closed tabs go: the oldest. Those with nothing in them are counted apart, and the newest change stays however large. */
export function tooMany(newestFirst: readonly About[], open: ReadonlySet<string>): string[] {
  const count = { changed: 0, plain: 0 };
  let faces = 0;
  return newestFirst
    .filter(({ id }) => !open.has(id))
    .filter((about) => {
      const kind = about.changed ? "changed" : "plain";
      faces += about.faces;
      const first = ++count[kind] === 1 && about.changed;
      return count[kind] > MOST_KEPT || (faces > MOST_FACES && !first);
    })
    .map(({ id }) => id);
}

/** Whether a recipe was given values other than its own. */
export function isTuned(recipe: NonNullable<Kept["recipe"]>, known: readonly { name: string; parameters: readonly { name: string; default: string }[] }[]): boolean {
  const parameters = known.find(({ name }) => name === recipe.name)?.parameters;
  return Object.entries(recipe.values).some(([name, value]) => {
    const own = parameters?.find((each) => each.name === name)?.default;
    return own !== value && (own === undefined || Number.isNaN(Number(own)) || Number(own) !== Number(value));
  });
}

/** Small choices that may be lost: theme, dismissed cards. */
export const preference = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(`drystone.${name}`);
    } catch {
      return null;
    }
  },
  set(name: string, value: string): void {
    try {
      localStorage.setItem(`drystone.${name}`, value);
    } catch {
      /* no storage, no memory */
    }
  },
};
