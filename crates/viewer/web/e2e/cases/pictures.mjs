/** Pictures of the activities for docs/viewer.md, made where DRYSTONE_PICTURES names a folder. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PATIENCE_MS, Server, drystone, visit } from "../harness.mjs";
import { at, choose, fillVector, leftTab, openRecipe, rightTab, type } from "../steps.mjs";

const INTO = process.env.DRYSTONE_PICTURES;
const MOST_BYTES = 250_000;

async function picture(page, name) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    for (const each of document.querySelectorAll(".side *")) each.scrollTop = 0;
  });
  await page.mouse.move(640, 5);
  // What fades has faded, and what is drawn is drawn.
  await page.evaluate(async () => {
    await Promise.all(document.getAnimations().filter((each) => each.effect?.getTiming().iterations !== Infinity).map((each) => each.finished.catch(() => {})));
    await new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle)));
  });
  const file = join(INTO, `viewer-${name}.png`);
  await page.screenshot({ path: file });
  assert.ok(statSync(file).size < MOST_BYTES, `${file} has ${statSync(file).size} bytes`);
}

async function pictures(page) {
  mkdirSync(INTO, { recursive: true });
  await leftTab(page, "open");
  await picture(page, "open");
  await at(page, "welcome-dismiss").click();

  await openRecipe(page, "dome");
  await leftTab(page, "blocks");
  await at(page, "section").selectOption("x");
  await at(page, "explode").fill("0.3");
  await picture(page, "look");
  await at(page, "section").selectOption("none");
  await at(page, "explode").fill("0");

  await openRecipe(page, "shelf");
  await rightTab(page, "check");
  await at(page, "view-front").click();
  if ((await at(page, "mechanism-play").getAttribute("aria-pressed")) === "true") await at(page, "mechanism-play").click();
  await picture(page, "check");

  await choose(page, "hanger-left");
  await rightTab(page, "edit");
  await at(page, "view-three-quarter").click();
  await at(page, "plane-z").click();
  await picture(page, "edit");

  await openRecipe(page, "arch");
  await rightTab(page, "thrust");
  await page.getByTestId("right-panel-thrust").locator("dt", { hasText: "Computed" }).first().waitFor();
  await at(page, "view-front").click();
  await picture(page, "thrust");

  await openRecipe(page, "column");
  await rightTab(page, "shake");
  await type(page, "shake-amplitude-number", 1.5);
  await type(page, "shake-frequency-number", 1);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  await at(page, "scrub").fill("2.6");
  await at(page, "view-three-quarter").click();
  await picture(page, "shake");

  await openRecipe(page, "arch");
  await rightTab(page, "slow");
  await at(page, "stage-kind").selectOption("support");
  await at(page, "stage-support").selectOption("springer-right");
  await fillVector(page, "stage-by", [1000, 0, 0]);
  await at(page, "stage-add").click();
  await at(page, "slow-start").click();
  await page.waitForFunction(() => window.drystone.slow?.state === "ended");
  const last = await page.evaluate(() => window.drystone.slow.points);
  await at(page, "path-scrub").fill(String(last));
  await at(page, "view-front").click();
  await picture(page, "slow");

  await openRecipe(page, "spandrel-arch");
  await rightTab(page, "report");
  await at(page, "report-make").click();
  await at(page, "report-frame").waitFor();
  await picture(page, "report");
}

const IMPULSES = `
title = "Arch: impulses that bring it down"
model = { recipe = "arch" }
[simulation]
dt = 0.005
after = 1.5
[failure_domain]
direction = "x"
half_periods = [0.2, 0.3, 0.4, 0.5, 0.6, 0.8]
amplitudes_g = [0.2, 0.3, 0.4, 0.6, 0.8]
`;

async function pictureOfStudy() {
  const place = mkdtempSync(join(tmpdir(), "drystone-study-"));
  writeFileSync(join(place, "impulses.toml"), IMPULSES);
  drystone("study", join(place, "impulses.toml"), "-o", join(place, "impulses"), "--quiet");
  const server = await Server.start("--port", "0", join(place, "impulses"));
  const { page, context, complaints } = await visit({ url: server.url });
  try {
    await page.waitForFunction(() => window.drystone.study?.complete);
    await at(page, "toggle-left").click();
    await at(page, "view-front").click();
    await at(page, "run-filter").fill("+0.6 0.6000 s collapses");
    await at(page, "run-list").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.drystone.run === "ended");
    await at(page, "run-filter").fill("");
    const end = Number(await at(page, "scrub").getAttribute("max"));
    await at(page, "scrub").fill(String(0.85 * end));
    await picture(page, "study");
    assert.deepEqual(complaints, [], "the page complained");
  } finally {
    await context.close();
    await server.kill();
    rmSync(place, { recursive: true, force: true });
  }
}

if (INTO) {
  test("a picture of a study", { timeout: 4 * PATIENCE_MS }, async () => {
    mkdirSync(INTO, { recursive: true });
    await pictureOfStudy();
  });

  test("pictures of the eight activities", { timeout: 4 * PATIENCE_MS }, async () => {
    // A program of its own, that has opened no folder: what other tests leave in theirs is not for docs.
    const server = await Server.start("--port", "0");
    const { page, context, complaints } = await visit({ url: server.url, welcomed: false });
    try {
      await pictures(page);
      assert.deepEqual(complaints, [], "the page complained");
    } finally {
      await context.close();
      await server.kill();
    }
  });
}
