/** One socket that asks and is answered, and that comes back after it broke. */

import { signal } from "../store";
import { type BinaryMessage, decodeBinary } from "./binary";

/** `refused`: a server answers, but not to this page. */
export type Connection = "connecting" | "open" | "lost" | "refused";

export class ServerError extends Error {
  constructor(
    message: string,
    readonly help: string | null,
  ) {
    super(message);
  }
}

/** Nothing was refused: the question or its answer did not get through. */
export class Disconnected extends ServerError {}

/** Another question took this one's place; nothing went wrong. */
export class Superseded extends Error {}

export interface Answer {
  json: Record<string, unknown>;
  binary: BinaryMessage | null;
}

export interface AskOptions {
  /** Kind of the binary message that follows the answer; the promise waits for it. */
  binary?: number;
  onProgress?: (part: number, says: string) => void;
  onFrame?: (message: BinaryMessage) => void;
  /** Told before the first frame. */
  onStarted?: (json: Record<string, unknown>) => void;
  /** Told each time that what is looked at has changed. */
  onState?: (json: Record<string, unknown>) => void;
}

export interface Question {
  id: number;
  answer: Promise<Answer>;
}

interface Pending {
  options: AskOptions;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  json: Record<string, unknown> | null;
  binary: BinaryMessage | null;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;

export class Socket {
  readonly connection = signal<Connection>("connecting");
  /** When the next attempt is made, in milliseconds of `performance.now()`; null while connected. */
  readonly retryAt = signal<number | null>(null);
  private socket: WebSocket | null = null;
  private nextId = 1;
  private wait = FIRST_WAIT_MS;
  private retryTimer = 0;
  private readonly pending = new Map<number, Pending>();
  /** Told of each question before it is sent. */
  beforeAsk: (id: number) => void = () => {};

  constructor(
    private readonly url: string,
    private readonly onOpen: () => void,
    private readonly isRefused: () => Promise<boolean> = () => Promise.resolve(false),
  ) {}

  /** Makes one attempt now. What was connected or connecting before is closed, and no longer listened to. */
  connect(): void {
    clearTimeout(this.retryTimer);
    this.retryAt.set(null);
    if (this.connection.peek() === "open") this.connection.set("connecting");
    const before = this.socket;
    this.socket = null;
    before?.close();
    this.breakOff();
    let opened = false;
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      if (this.socket !== socket) return socket.close();
      opened = true;
      this.wait = FIRST_WAIT_MS;
      this.connection.set("open");
      this.onOpen();
    };
    socket.onmessage = (event) => {
      if (this.socket !== socket) return;
      if (typeof event.data === "string") this.hear(JSON.parse(event.data) as Record<string, unknown>);
      else this.hearBinary(decodeBinary(event.data as ArrayBuffer));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.breakOff();
      if (this.connection.peek() !== "refused") this.connection.set("lost");
      if (!opened) void this.askWhy();
      this.retryAt.set(performance.now() + this.wait);
      this.retryTimer = window.setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }

  /** Nobody answers what was asked before. */
  private breakOff(): void {
    const left = [...this.pending.values()];
    this.pending.clear();
    for (const each of left) each.reject(new Disconnected("The connection to the server broke.", null));
  }

  /** After an attempt that failed. A server that refuses will not think better of it: it is not tried again by itself. */
  private async askWhy(): Promise<void> {
    const refused = await this.isRefused();
    if (this.connection.peek() === "open") return;
    this.connection.set(refused ? "refused" : "lost");
    if (!refused) return;
    clearTimeout(this.retryTimer);
    this.retryAt.set(null);
  }

  ask(ask: string, fields: Record<string, unknown> = {}, options: AskOptions = {}): Question {
    const id = this.nextId++;
    this.beforeAsk(id);
    const answer = new Promise<Answer>((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        reject(new Disconnected("There is no connection to the server.", "It is tried again by itself; your model is kept."));
        return;
      }
      this.pending.set(id, { options, resolve, reject, json: null, binary: null });
      this.socket.send(JSON.stringify({ id, ask, ...fields }));
    });
    return { id, answer };
  }

  /** Sends what has no answer: `stop`, `pause`, `resume`. */
  tell(ask: string, fields: Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ ask, ...fields }));
  }

  private hear(message: Record<string, unknown>): void {
    const id = message.id as number;
    const pending = this.pending.get(id);
    if (!pending) return;
    if (typeof message.error === "string") {
      this.pending.delete(id);
      pending.reject(new ServerError(message.error, (message.help as string | undefined) ?? null));
    } else if (message.answer === "superseded") {
      this.pending.delete(id);
      pending.reject(new Superseded());
    } else if (typeof message.progress === "number") {
      pending.options.onProgress?.(message.progress, (message.says as string | undefined) ?? "");
    } else if (message.answer === "started") {
      // Frames follow, then the answer proper.
      pending.options.onStarted?.(message);
    } else if (message.answer === "study_state") {
      pending.options.onState?.(message);
    } else {
      pending.json = message;
      this.settle(id, pending);
    }
  }

  private hearBinary(message: BinaryMessage): void {
    const pending = this.pending.get(message.id);
    if (!pending) return;
    if (message.kind === pending.options.binary) {
      pending.binary = message;
      this.settle(message.id, pending);
    } else {
      pending.options.onFrame?.(message);
    }
  }

  private settle(id: number, pending: Pending): void {
    if (!pending.json || (pending.options.binary !== undefined && !pending.binary)) return;
    this.pending.delete(id);
    pending.resolve({ json: pending.json, binary: pending.binary });
  }
}
