/**
 * Values that know who reads them. An effect runs at once and again whenever a signal that it read changes.
 */

export interface Signal<T> {
  /** Reads, and remembers the running effect as a reader. */
  (): T;
  /** Reads without being remembered. */
  peek(): T;
  set(value: T): void;
  update(change: (value: T) => T): void;
}

interface Effect {
  run(): void;
  sources: Set<Set<Effect>>;
}

let running: Effect | null = null;
let depth = 0;
const waiting = new Set<Effect>();

function flush(): void {
  // Effects may set signals, whose readers then join the queue; a page that keeps feeding itself is stopped.
  for (let round = 0; waiting.size > 0; round++) {
    if (round > 100) {
      waiting.clear();
      throw new Error("effects keep setting each other off");
    }
    const now = [...waiting];
    waiting.clear();
    for (const effect of now) effect.run();
  }
}

/** Changes several signals and lets their readers run once, at the end. */
export function batch(change: () => void): void {
  depth++;
  try {
    change();
  } finally {
    depth--;
    if (depth === 0) {
      depth++;
      try {
        flush();
      } finally {
        depth--;
      }
    }
  }
}

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const readers = new Set<Effect>();
  const read = () => {
    if (running) {
      readers.add(running);
      running.sources.add(readers);
    }
    return value;
  };
  const set = (next: T) => {
    if (Object.is(value, next)) return;
    value = next;
    batch(() => readers.forEach((reader) => waiting.add(reader)));
  };
  return Object.assign(read, { peek: () => value, set, update: (change: (value: T) => T) => set(change(value)) });
}

/** Runs `body` now and whenever what it read changes; returns what ends it. */
export function effect(body: () => void): () => void {
  const self: Effect = {
    sources: new Set(),
    run() {
      self.sources.forEach((readers) => readers.delete(self));
      self.sources.clear();
      const outer = running;
      running = self;
      try {
        body();
      } finally {
        running = outer;
      }
    },
  };
  self.run();
  const end = () => {
    self.sources.forEach((readers) => readers.delete(self));
    waiting.delete(self);
  };
  collecting?.push(end);
  return end;
}

let collecting: (() => void)[] | null = null;

/** Makes what will be made anew later; also gives what ends all effects that were begun for it. */
export function collected<T>(make: () => T): [T, () => void] {
  const outer = collecting;
  const ends: (() => void)[] = [];
  collecting = ends;
  try {
    return [make(), () => ends.forEach((end) => end())];
  } finally {
    collecting = outer;
  }
}

/** Runs `body` without making the running effect a reader of what it reads. */
export function untracked<T>(body: () => T): T {
  const outer = running;
  running = null;
  try {
    return body();
  } finally {
    running = outer;
  }
}

/** A value made of others; its readers run only when it changes. */
export function derived<T>(make: () => T, same: (a: T, b: T) => boolean = Object.is): () => T {
  const held = signal<T>(undefined as T);
  effect(() => {
    const next = make();
    if (held.peek() === undefined || !same(held.peek(), next)) held.set(next);
  });
  return held;
}
