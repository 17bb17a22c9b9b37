/** Measurements for docs/viewer.md: printed, not asserted. Rendering is by software here; a graphics card draws faster. */

import assert from "node:assert/strict";
import { withPage, settled } from "../harness.mjs";
import { at, ask, openRecipe, rightTab, setParameters, type } from "../steps.mjs";

/** The church with larger stones: a quarter of them. */
const CHURCH = { "block-length": 1, "block-height": 0.7 };
/** The page's own step. */
const STEP_S = 0.001;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Milliseconds from an input of the friction slider to the verdict about it. */
const sliderToVerdict = (page) =>
  page.evaluate(async () => {
    const slider = document.querySelector("[data-testid=friction]");
    const times = [];
    for (let k = 0; k < 5; k++) {
      const since = performance.now();
      slider.value = String(0.5 + 0.01 * k);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      // The question is asked once the event is over.
      do await new Promise((settle) => setTimeout(settle, 1));
      while (window.drystone.checking);
      times.push(performance.now() - since);
    }
    return times;
  });

/** Milliseconds in which clicks at several places of the view are dealt with. */
const clickTimes = (page) =>
  page.evaluate(async () => {
    const view = document.querySelector("[data-testid=view]");
    const { left, top, width, height } = view.getBoundingClientRect();
    const times = [];
    for (let k = 0; k < 15; k++) {
      // No pointer of the browser's own, so there is none to capture.
      view.setPointerCapture = view.releasePointerCapture = () => {};
      const event = (type) => new PointerEvent(type, { clientX: left + width / 2, clientY: top + height * (0.2 + 0.04 * k), pointerId: 7, pointerType: "mouse", button: 0 });
      view.dispatchEvent(event("pointerdown"));
      const since = performance.now();
      view.dispatchEvent(event("pointerup"));
      times.push(performance.now() - since);
      await new Promise((settle) => setTimeout(settle, 30));
    }
    return times;
  });

const memory = async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize").value / 2 ** 20;
};

/** Frames as they pass: how large, when, and what they say of themselves. */
let frames = [];
const weighing = (socket) => {
  const upstream = socket.connectToServer();
  upstream.onMessage((message) => {
    if (typeof message !== "string" && message.readUInt32LE(0) === 3) {
      const says = JSON.parse(message.toString("utf8", 12, 12 + message.readUInt32LE(8)));
      frames.push({ bytes: message.length, when: performance.now(), ...says });
    }
    socket.send(message);
  });
};

/** Shakes for a while, and waits for the end. */
async function shake(page, seconds) {
  frames = [];
  await rightTab(page, "shake");
  await type(page, "shake-duration-number", seconds);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
}

withPage("measurements", { onSocket: weighing }, async ({ page, t }) => {
  const say = (text) => t.diagnostic(`measured: ${text}`);
  say(`page with the spandrel arch: ${(await memory(page)).toFixed(1)} MiB of JavaScript`);
  await rightTab(page, "check");
  for (const [recipe, values] of [["stack", { blocks: 19 }], ["spandrel-arch", {}], ["tower", { height: 14 }]]) {
    await openRecipe(page, recipe);
    await setParameters(page, values);
    const blocks = await page.evaluate(() => window.drystone.blocks);
    const times = await sliderToVerdict(page);
    await settled(page);
    say(`slider to verdict with ${blocks} blocks: median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms`);
  }
  await openRecipe(page, "stack");
  await setParameters(page, { blocks: 19 });
  await shake(page, 0.5);
  say(`a streamed frame of 20 blocks: ${median(frames.map((frame) => frame.bytes))} bytes`);

  await openRecipe(page, "church");
  await setParameters(page, CHURCH);
  await shake(page, 0.2);
  const church = await page.evaluate(() => window.drystone.blocks);
  // What lies between two frames beside the steps that lead from one to the other.
  const waits = frames.slice(1).map((frame, k) => {
    const steps = Math.round((frame.time_s - frames[k].time_s) / STEP_S);
    return frame.when - frames[k].when - steps * frame.step_ms;
  });
  const kilobytes = frames.at(-1).bytes / 1000;
  assert.equal(frames.at(-1).frame, frames.length - 1, "no frame is lost");
  say(`a church of ${church} blocks: a step takes ${median(frames.slice(1).map((frame) => frame.step_ms)).toFixed(0)} ms; a frame has ${kilobytes.toFixed(0)} kB and comes ${median(waits).toFixed(0)} ms after its steps, ${Math.max(...waits).toFixed(0)} ms at worst`);

  await openRecipe(page, "stack");
  await ask(page, "cone");
  await setParameters(page, { blocks: 4999 });
  const blocks = await page.evaluate(() => window.drystone.blocks);
  const fps = await page.evaluate(() => window.drystone.measureFps(2));
  say(`drawing ${blocks} blocks by software: ${fps.toFixed(1)} pictures a second`);
  const scripts = await page.evaluate(() => window.drystone.measureScripts(20));
  say(`scripts in a picture of ${blocks} blocks, orbiting: median ${median(scripts).toFixed(2)} ms`);
  const clicks = await clickTimes(page);
  say(`click to selection with ${blocks} blocks: median ${median(clicks).toFixed(1)} ms`);
  say(`page with ${blocks} blocks: ${(await memory(page)).toFixed(1)} MiB of JavaScript`);
});
