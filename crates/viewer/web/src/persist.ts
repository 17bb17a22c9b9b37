/** The model as it stands, in the browser's storage: what a reload must not lose. All tabs share it; the last one writes. */

export interface Kept {
  /** Null where the recipe says it all. */
  model: unknown;
  recipe: { name: string; values: Record<string, string> } | null;
  visit: string;
  when: number;
}

const STORE = "kept";
const KEY = "current";

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("drystone", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
  });
}

async function transact<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  // Browsers may refuse storage (private windows, full disks): the page then works without memory.
  try {
    const db = await database();
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      // A disk that is full shows only when the transaction ends.
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("storage failed"));
    }).finally(() => db.close());
  } catch {
    return null;
  }
}

/** False where the browser keeps nothing. */
export const remember = async (kept: Kept) => (await transact("readwrite", (store) => store.put(kept, KEY))) !== null;
export const recall = () => transact<Kept | undefined>("readonly", (store) => store.get(KEY) as IDBRequest<Kept | undefined>);
export const forget = () => transact("readwrite", (store) => store.delete(KEY));

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
