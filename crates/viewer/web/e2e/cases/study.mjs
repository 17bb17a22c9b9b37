/** Studies: opened, watched while they fill, and their runs a click away. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PATIENCE_MS, Server, drystone, visit } from "../harness.mjs";
import { at, rightTab } from "../steps.mjs";

const study = (page) => page.evaluate(() => window.drystone.study);
const until = (page, is, what) => page.waitForFunction(is, what, { polling: 50 });

/** Impulses at which a block on the ground stands or overturns. */
const impulses = (amplitudes) => `
title = "Impulses on a block"
model = { recipe = "block" }
[simulation]
dt = 0.005
after = 1.0
[failure_domain]
direction = "x"
half_periods = [0.2, 0.6]
amplitudes_g = [${amplitudes}]
`;

const FRICTION = `
model = { recipe = "stack", parameters = { blocks = 3 } }
[sweep]
analysis = { check = { method = "cra" } }
[[sweep.parameters]]
name = "tilt:y"
values = [0, 40]
`;

function performed(place, name, text) {
  writeFileSync(join(place, `${name}.toml`), text);
  drystone("study", join(place, `${name}.toml`), "-o", join(place, name), "--quiet");
}

/** A page of a server that was started with a study. */
async function started(path, act, options = {}) {
  const server = await Server.start("--port", "0", path);
  const { context, page, complaints } = await visit({ url: server.url, ...options });
  try {
    await until(page, () => window.drystone.study !== null);
    await act(page);
    assert.deepEqual(complaints, [], "the page complained");
  } finally {
    await context.close();
    await server.kill();
  }
}

function inFolder(name, act) {
  test(name, { timeout: 4 * PATIENCE_MS }, async () => {
    const place = mkdtempSync(join(tmpdir(), "drystone-study-"));
    try {
      await act(place);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
}

/** Where the first mark of a series is on the page. */
const firstMark = (page, marks) =>
  page.locator(marks).first().evaluate((path) => {
    path.scrollIntoView({ block: "center" });
    const point = path.getPointAtLength(0).matrixTransform(path.getScreenCTM());
    return [point.x, point.y];
  });

const ended = (page, was) => until(page, (before) => window.drystone.run === "ended" && window.drystone.runId !== before, was);

inFolder("a study is opened, a point of its chart is clicked, and that run plays; more runs appear while they end", async (place) => {
  performed(place, "impulses", impulses([0.2, 0.8]));
  await started(join(place, "impulses"), async (page) => {
    await until(page, () => window.drystone.study.complete);
    const { runs, listed, charts } = await study(page);
    // Two amplitudes, two half-periods and the capacity, each way.
    assert.deepEqual([runs, listed, charts], [10, 10, ["failure-domain"]]);
    assert.equal(await at(page, "study-title").innerText(), "Impulses on a block");
    assert.equal(await at(page, "study-progress").innerText(), "All 10 runs have ended.");
    assert.match(await at(page, "study-conclusions").innerText(), /2 of 8 impulses bring it down/);

    const [x, y] = await firstMark(page, ".chart-marks.filled_right.chart-falls");
    await page.mouse.click(x, y);
    await ended(page, null);
    assert.match(await at(page, "run-says").innerText(), /^collapses at [\d.]+ s$/);
    const label = await at(page, "run-label").innerText();
    assert.match(label, /^\+0\.8/);
    const collapsed = Number((await at(page, "run-says").innerText()).match(/[\d.]+/)[0]);
    const last = Number(await at(page, "scrub").getAttribute("max"));
    assert.ok(Math.abs(last - collapsed) < 0.01, `the run ends where the study's did: ${last}, ${collapsed}`);
    await at(page, "scrub").fill("0.5");
    assert.ok(Math.abs(Number.parseFloat(await at(page, "time").innerText()) - 0.5) < 0.02);
    await at(page, "run-results").locator("summary").click();
    await at(page, "run-card").getByText("Max displacement", { exact: true }).waitFor();

    // Where two runs share a place the next click means the other.
    let before = await page.evaluate(() => window.drystone.runId);
    const chosen = (await study(page)).chosen;
    await page.mouse.click(x, y);
    await ended(page, before);
    assert.notEqual((await study(page)).chosen, chosen);
    assert.match(await at(page, "run-label").innerText(), /^-0\.8/);

    // By keys alone, in the list.
    before = await page.evaluate(() => window.drystone.runId);
    await at(page, "run-filter").fill("+0.2 stands");
    assert.match(await at(page, "run-count").innerText(), /^2 of 10 runs$/);
    await at(page, "run-list").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await ended(page, before);
    assert.match(await at(page, "run-label").innerText(), /^\+0\.2.* for 0\.6/);
    await at(page, "run-filter").fill("");

    // The page is left as it is while the study goes on.
    performed(place, "impulses", impulses([0.2, 0.4, 0.8]));
    await until(page, () => window.drystone.study.complete && window.drystone.study.runs === 14);
    assert.equal((await study(page)).listed, 14);
    assert.equal(await at(page, "study-progress").innerText(), "All 14 runs have ended.");
    assert.match(await at(page, "run-label").innerText(), /^\+0\.2.* for 0\.6/, "what was chosen stays");

    await page.reload();
    await until(page, () => window.drystone?.study?.listed === 14);
    assert.equal(await at(page, "study-title").isVisible(), true);
    await at(page, "study-close").click();
    assert.equal(await study(page), null);
    assert.equal(await at(page, "right-tab-study").isVisible(), false);
    assert.equal(await at(page, "right-tab-check").getAttribute("aria-selected"), "true");
  });
});

inFolder("a study is opened from the list of the folder; of a check the structure is checked again; charts are read and picked by keys", async (place) => {
  performed(place, "tilts", FRICTION);
  const server = await Server.start("--port", "0", place);
  const { context, page, complaints } = await visit({ url: server.url });
  try {
    await at(page, "left-tab-open").click();
    await at(page, "file-tilts").click();
    await until(page, () => window.drystone.study?.complete);
    const chart = at(page, "chart-sweep-1").locator("svg.chart");
    await chart.focus();
    for (const [key, angle, verdict] of [["End", "40", "falls"], ["ArrowLeft", "0", "stands"]]) {
      await chart.press(key);
      await at(page, "chart-sweep-1").locator(`svg.chart[aria-valuetext*="tilt:y ${angle}"]`).waitFor();
      await page.keyboard.press("Enter");
      await at(page, "run-now").filter({ hasText: `it ${verdict} (cra)` }).waitFor();
      assert.match(await at(page, "run-says").innerText(), new RegExp(`^${verdict}`));
      assert.equal(await page.evaluate(() => window.drystone.verdict), verdict === "falls" ? "unstable" : "stable");
      await chart.focus();
    }
    assert.equal((await page.evaluate(() => window.drystone.run)) ?? null, null, "nothing is simulated");
    await rightTab(page, "check");
    assert.equal(await at(page, "method").inputValue(), "cra");
    assert.equal(await at(page, "run-card").isVisible(), true);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    await server.kill();
  }
});
