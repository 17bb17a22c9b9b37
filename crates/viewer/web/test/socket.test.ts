import { beforeEach, expect, test, vi } from "vitest";
import { Disconnected, Socket } from "../src/wire/socket";

class Fake {
  static readonly OPEN = 1;
  static all: Fake[] = [];
  readyState = 0;
  sent: string[] = [];
  closed = false;
  onopen = () => {};
  onclose = () => {};
  onmessage: (event: { data: string }) => void = () => {};
  constructor() {
    Fake.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.closed = true;
    this.readyState = 3;
    queueMicrotask(() => this.onclose());
  }
}

vi.stubGlobal("WebSocket", Fake);
vi.stubGlobal("window", globalThis);
beforeEach(() => void (Fake.all = []));

test("an attempt that another takes the place of is closed, and opens nothing", async () => {
  let opened = 0;
  const socket = new Socket("ws://here", () => opened++);
  socket.connect();
  socket.connect();
  const [first, second] = Fake.all as [Fake, Fake];
  expect(first.closed).toBe(true);
  first.open();
  expect([opened, socket.connection.peek()]).toEqual([0, "connecting"]);
  second.open();
  await Promise.resolve();
  expect([opened, socket.connection.peek(), Fake.all.length]).toEqual([1, "open", 2]);
});

test("what the socket before says is not heard, and what it was asked is broken off", async () => {
  const socket = new Socket("ws://here", () => {});
  socket.connect();
  const first = Fake.all[0]!;
  first.open();
  const lost = socket.ask("save").answer;
  socket.connect();
  await expect(lost).rejects.toBeInstanceOf(Disconnected);
  const second = Fake.all[1]!;
  second.open();
  const { id, answer } = socket.ask("save");
  first.onmessage({ data: JSON.stringify({ id, answer: "save", from: "first" }) });
  second.onmessage({ data: JSON.stringify({ id, answer: "save", from: "second" }) });
  expect((await answer).json.from).toBe("second");
});
