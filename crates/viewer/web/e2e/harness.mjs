/**
 * One browser and one server for all tests; for each test a page with nothing remembered.
 *
 * DRYSTONE_BIN          the program (needed)
 * DRYSTONE_CHROMIUM     the browser; otherwise Debian's
 * DRYSTONE_PAGE         a folder that `npm run build` made: served in place of the page that the program carries
 * DRYSTONE_PICTURES     a folder for pictures of the page
 * DRYSTONE_PATIENCE_MS  how long an answer may take before the test fails
 */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const PROGRAM = process.env.DRYSTONE_BIN ?? "";
const PAGE = process.env.DRYSTONE_PAGE ?? "";
const BROWSERS = [process.env.DRYSTONE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Long enough for any answer on a busy machine: what takes longer hangs. */
export const PATIENCE_MS = Number(process.env.DRYSTONE_PATIENCE_MS ?? 60_000);
export const SIZE = { width: 1280, height: 720 };

/** A page that the network did not bring has no address, and would not be let in to this machine's. */
const STAND_IN = ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"];
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** The folder that the server opens, gone when the tests end. */
export const folder = mkdtempSync(join(tmpdir(), "drystone-e2e-"));

/** Runs the program; its JSON where `--json` is asked for, else its text. */
export function drystone(...words) {
  const done = spawnSync(PROGRAM, words, { encoding: "utf8", cwd: folder, maxBuffer: 64 << 20 });
  assert.ok(done.status !== null && done.status < 2, `drystone ${words.join(" ")}: ${done.stderr}`);
  return words.includes("--json") ? JSON.parse(done.stdout) : done.stdout;
}

export class Server {
  static async start(...words) {
    const child = spawn(PROGRAM, ["view", "--no-open", ...words], { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise((settle, fail) => {
      lines.once("line", settle);
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`drystone view ended with ${code}`)));
    });
    return new Server(child, new URL(line));
  }

  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  async kill() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((settle) => this.child.once("exit", settle));
    this.child.kill("SIGKILL");
    await gone;
  }
}

let browser;
let server;

before(async () => {
  assert.ok(existsSync(PROGRAM), "DRYSTONE_BIN must name the program");
  const executablePath = BROWSERS.find((path) => path && existsSync(path));
  assert.ok(executablePath, "no chromium was found: install it, or name it in DRYSTONE_CHROMIUM");
  [browser, server] = await Promise.all([
    chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--enable-precise-memory-info", ...(PAGE ? STAND_IN : [])],
    }),
    Server.start("--port", "0", folder),
  ]);
});

after(async () => {
  await browser?.close();
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves a built page in place of the program's own, under the program's headers. */
async function servePage(context, origin) {
  if (!PAGE) return;
  await context.route(
    (url) => url.origin === origin && !url.pathname.startsWith("/export") && url.pathname !== "/ws",
    async (route) => {
      const path = new URL(route.request().url()).pathname;
      const file = resolve(PAGE, path === "/" ? "index.html" : `.${path}`);
      if (!existsSync(file)) return route.fulfill({ status: 404, body: "" });
      // Every answer has these headers, also the refusal that this one without a token is.
      const own = await route.fetch({ url: `${origin}/` });
      const policy = own.headers()["content-security-policy"] ?? "";
      return route.fulfill({ body: readFileSync(file), headers: { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": policy } });
    },
  );
}

/** A browser that remembers nothing, in which every complaint of the page is kept. */
export async function visit({ url = server.url, welcomed = true, theme = "light", size = SIZE, touch = false, still = false, bare = false, onSocket } = {}) {
  const context = await browser.newContext({
    viewport: size, hasTouch: touch, isMobile: touch, colorScheme: theme, acceptDownloads: true, reducedMotion: still ? "reduce" : "no-preference",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints = [];
  const watch = (page) => {
    page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`page: ${error.stack ?? error}`));
    page.on("request", (request) => {
      const to = new URL(request.url());
      if (!["data:", "blob:"].includes(to.protocol) && to.host !== url.host) complaints.push(`request to ${to.host}`);
    });
    page.on("websocket", (socket) => new URL(socket.url()).host !== url.host && complaints.push(`socket to ${socket.url()}`));
  };
  context.on("page", watch);
  await servePage(context, url.origin);
  if (welcomed) await context.addInitScript(() => window === window.top && location.protocol !== "about:" && localStorage.setItem("drystone.welcomed", "yes"));
  if (onSocket) await context.routeWebSocket(/\/ws\?/, onSocket);
  const page = await context.newPage();
  if (!bare) {
    await page.goto(url.href);
    await settled(page);
  }
  return { context, page, complaints };
}

/** A test on a page of its own; fails on any complaint that `expected` does not match. */
export function withPage(name, options, act) {
  if (typeof options === "function") [options, act] = [{}, options];
  test(name, { timeout: 4 * PATIENCE_MS }, async (t) => {
    const { context, page, complaints } = await visit(options);
    try {
      await act({ page, context, complaints, t });
      const unexpected = complaints.filter((each) => !options.expected?.test(each));
      assert.deepEqual(unexpected, [], "the page complained");
    } catch (error) {
      if (complaints.length) t.diagnostic(`complaints: ${complaints.join(" | ")}`);
      const said = await page.getByTestId("notice").innerText({ timeout: 500 }).catch(() => "");
      if (said) t.diagnostic(`banner: ${said}`);
      throw error;
    } finally {
      await context.close();
    }
  });
}

/** What the page tells about itself. */
export const read = (page) =>
  page.evaluate(() => {
    const { connected, revision, name, verdict, checking, blocks, selection, frames, run } = window.drystone;
    return { connected, revision, name, verdict, checking, blocks, selection, frames, run };
  });

/** Waits until the verdict is about what is asked now; gives it. */
export async function settled(page) {
  await page.waitForFunction(() => window.drystone?.connected && window.drystone.verdict !== null && !window.drystone.checking, null, { polling: 30 });
  return page.evaluate(() => window.drystone.verdict);
}

/** Does something that changes the model, and waits for the change and, where it is to have one, its verdict. */
export async function changing(page, act, hasVerdict = true) {
  const before = await page.evaluate(() => window.drystone.revision);
  await act();
  await page.waitForFunction((was) => window.drystone.revision !== was, before, { polling: 30 });
  return hasVerdict ? settled(page) : null;
}

/** Waits until the browser's own storage holds this tab's model, edited and with so many blocks. */
export const kept = (page, blocks) =>
  page.evaluate(async (wanted) => {
    const once = (request) => new Promise((settle, fail) => ((request.onsuccess = () => settle(request.result)), (request.onerror = () => fail(request.error))));
    const db = await once(indexedDB.open("drystone", 2));
    for (;;) {
      const now = await once(db.transaction("models").objectStore("models").get(sessionStorage.getItem("drystone.tab")));
      if (now && now.recipe === null && now.model.blocks.length === wanted) break;
      await new Promise((settle) => setTimeout(settle, 50));
    }
    db.close();
  }, blocks);
