/** Shaking: frames come while it runs; the run can be held, gone through and taken along. */

import assert from "node:assert/strict";
import { read, withPage } from "../harness.mjs";
import { at, downloaded, openRecipe, rightTab, type } from "../steps.mjs";

async function shake(page, { amplitude = 0.3, duration = 2 } = {}) {
  await rightTab(page, "shake");
  await type(page, "shake-amplitude-number", amplitude);
  await type(page, "shake-duration-number", duration);
  await at(page, "shake-start").click();
}

const ended = (page) => page.waitForFunction(() => window.drystone.run === "ended");
const shownTime = async (page) => Number.parseFloat(await at(page, "time").innerText());

withPage("frames arrive while it runs; it is held and goes on", async ({ page }) => {
  // A wall of 150 stones takes seconds to compute.
  await openRecipe(page, "wall");
  await shake(page, { duration: 20 });
  await page.waitForFunction(() => window.drystone.frames > 5);
  assert.equal((await read(page)).run, "running");
  await at(page, "shake-pause").click();
  assert.equal((await read(page)).run, "paused");
  // What was on its way still comes; then nothing does.
  const still = async () => {
    const { frames } = await read(page);
    await page.evaluate(() => new Promise((settle) => setTimeout(settle, 300)));
    return (await read(page)).frames === frames;
  };
  let quiet = false;
  for (let k = 0; k < 10 && !quiet; k++) quiet = await still();
  assert.ok(quiet, "no frames come while it is held");
  const { frames } = await read(page);
  await at(page, "shake-pause").click();
  await page.waitForFunction((was) => window.drystone.frames > was, frames);
  await at(page, "shake-stop").click();
  await ended(page);
  assert.ok((await read(page)).frames < 20 * 60, "it was stopped before its end");
});

withPage("a run is gone through: scrubbed, in slow motion, and taken along as csv and glb", async ({ page }) => {
  await openRecipe(page, "column");
  await shake(page, { amplitude: 0.3, duration: 2 });
  await ended(page);
  const { frames } = await read(page);
  // Two seconds at 60 frames a second, and the one it starts from.
  assert.ok(Math.abs(frames - 121) <= 2, `${frames} frames`);

  const scrub = at(page, "scrub");
  await scrub.fill("1.5");
  assert.ok(Math.abs((await shownTime(page)) - 1.5) < 0.02);
  await scrub.fill("0.4");
  assert.ok(Math.abs((await shownTime(page)) - 0.4) < 0.02, "the shown time follows back");
  assert.equal(await at(page, "play").getAttribute("aria-pressed"), "false");

  /** Seconds of the run that pass in a second on the wall. */
  const rate = async (speed) => {
    await at(page, "speed").selectOption(speed);
    await scrub.fill("0");
    await at(page, "play").click();
    const passed = await page.evaluate(async () => {
      const shown = () => Number.parseFloat(document.querySelector("[data-testid=time]").textContent);
      const [from, since] = [shown(), performance.now()];
      await new Promise((settle) => setTimeout(settle, 800));
      return (shown() - from) / ((performance.now() - since) / 1000);
    });
    if ((await at(page, "play").getAttribute("aria-pressed")) === "true") await at(page, "play").click();
    return passed;
  };
  const slow = await rate("0.1");
  assert.ok(slow > 0.02 && slow < 0.2, `slow motion goes at ${slow}`);
  const normal = await rate("1");
  assert.ok(normal > 3 * slow, `normal speed ${normal} against ${slow}`);

  const csv = await downloaded(page, () => at(page, "export-csv").click());
  assert.equal(csv.name, "column.csv");
  const rows = csv.bytes.toString("utf8").trim().split(/\r?\n/);
  const columns = rows[0].split(",").length;
  assert.ok(columns >= 4, rows[0]);
  assert.ok(rows.length > 100, `${rows.length} rows`);
  assert.match(rows[0], /time/);
  for (const row of rows.slice(1)) {
    const cells = row.split(",");
    assert.equal(cells.length, columns, row);
    assert.ok(Number.isFinite(Number(cells[0])), row);
  }

  const glb = await downloaded(page, () => at(page, "export-glb").click());
  assert.equal(glb.name, "column.glb");
  // The container of glTF 2.0: magic, version, length, then a chunk of JSON and one of bytes.
  assert.equal(glb.bytes.toString("latin1", 0, 4), "glTF");
  assert.equal(glb.bytes.readUInt32LE(4), 2);
  assert.equal(glb.bytes.readUInt32LE(8), glb.bytes.length);
  const length = glb.bytes.readUInt32LE(12);
  assert.equal(glb.bytes.toString("latin1", 16, 20), "JSON");
  const scene = JSON.parse(glb.bytes.toString("utf8", 20, 20 + length));
  assert.equal(scene.asset.version, "2.0");
  assert.ok(scene.animations?.length >= 1, "it moves");
  assert.ok(scene.nodes.length >= 8, "a node for each block");
  assert.equal(glb.bytes.readUInt32LE(20 + length) + 28 + length, glb.bytes.length);
});

withPage("what rests unshaken stays where it is", async ({ page }) => {
  await openRecipe(page, "stack");
  await rightTab(page, "shake");
  await at(page, "shake-kind").selectOption("none");
  await type(page, "shake-duration-number", 0.5);
  await at(page, "shake-start").click();
  await ended(page);
  const rows = at(page, "right-panel-shake").locator("dl.facts").first();
  await rows.filter({ hasText: "Outcome" }).waitFor();
  const text = await rows.innerText();
  assert.doesNotMatch(text, /Collapses/);
});
