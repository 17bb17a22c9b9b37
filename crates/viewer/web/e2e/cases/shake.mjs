/** Shaking: frames come while it runs; the run can be held, gone through and taken along. */

import assert from "node:assert/strict";
import { read, withPage } from "../harness.mjs";
import { at, downloaded, drop, openRecipe, rightTab, type } from "../steps.mjs";

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
  const rows = at(page, "run-facts");
  await rows.filter({ hasText: "Outcome" }).waitFor();
  const text = await rows.innerText();
  assert.doesNotMatch(text, /Collapses/);
});

/** Acceleration of a pulse of one second there and back, in units of g, by 0.01 s. */
const PULSE = Array.from({ length: 101 }, (_, k) => 0.1 * Math.sin((2 * Math.PI * k) / 100));

/** As the database of PEER gives it. */
const AT2 = [
  "PEER STRONG MOTION DATABASE RECORD",
  "A PULSE, 01/01/26, NOWHERE, 000",
  "ACCELERATION TIME HISTORY IN UNITS OF G",
  `NPTS=   ${PULSE.length}, DT=   .0100 SEC`,
  ...Array.from({ length: Math.ceil(PULSE.length / 5) }, (_, k) => PULSE.slice(5 * k, 5 * k + 5).map((value) => value.toExponential(7).padStart(16)).join("")),
].join("\n");

/** The same as a table of seconds and m/s². */
const TABLE = ["time_s,acceleration_m_s2", ...PULSE.map((value, k) => `${(k / 100).toFixed(2)},${(9.81 * value).toFixed(7)}`)].join("\n");

/** Without a header accelerations are in g. */
const BARE = PULSE.map((value, k) => `${(k / 100).toFixed(2)} ${value.toFixed(7)}`).join("\n");

/** Farthest that the ground goes along x in the run that is shown, by its table. */
async function ground(page) {
  const csv = await downloaded(page, () => at(page, "export-csv").click());
  const [head, ...rows] = csv.bytes.toString("utf8").trim().split(/\r?\n/).map((row) => row.split(","));
  const column = head.indexOf("ground_x_m");
  assert.ok(column > 0, head.join());
  return { most: Math.max(...rows.map((row) => Math.abs(Number(row[column])))), last: Number(rows.at(-1)[0]), rows: rows.length };
}

async function shakeTo(page, duration, scale, field = "shake-scale") {
  await type(page, `${field}-number`, scale);
  await type(page, "shake-duration-number", duration);
  const before = await page.evaluate(() => window.drystone.runId);
  await at(page, "shake-start").click();
  await page.waitForFunction((was) => window.drystone.runId !== was && window.drystone.run === "ended", before);
}

// What the acceleration a sin(2 pi t) of one second moves: a / (2 pi), at its end.
const MOVED = (0.1 * 9.81) / (2 * Math.PI);

withPage("a record shakes the ground to its end: PEER file and table alike, and scaled", async ({ page }) => {
  await openRecipe(page, "stack");
  await rightTab(page, "shake");
  await at(page, "shake-kind").selectOption("record");
  await at(page, "shake-start").click();
  await at(page, "notice").filter({ hasText: "Choose a record first" }).waitFor();
  await at(page, "notice-dismiss").click();
  for (const [name, text, scale] of [["PULSE.AT2", AT2, 1], ["pulse.csv", TABLE, 1], ["pulse.txt", BARE, 2]]) {
    await at(page, "record-file").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    // What it holds is told, and sets the duration.
    await page.waitForFunction((file) => window.drystone.record?.components[0].file === file, name);
    await shakeTo(page, 1.5, scale, "record-scale");
    const { most, last } = await ground(page);
    assert.ok(Math.abs(last - 1.5) < 1e-6, `${name} runs to its end, ${last}`);
    assert.ok(Math.abs(most / (scale * MOVED) - 1) < 0.01, `${name}: the ground moves by ${most}, ${scale * MOVED} expected`);
  }
  const facts = at(page, "run-facts");
  await facts.filter({ hasText: "Greatest displacement" }).filter({ hasText: "Residual drift" }).waitFor();

  await at(page, "record-file").setInputFiles({ name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from("Dear mason,\nit shook.\n") });
  await at(page, "shake-start").click();
  await at(page, "notice").filter({ hasText: "letter.txt" }).waitFor();
  assert.equal((await read(page)).name, "stack");
});

withPage("a motion of the model is chosen and scaled", async ({ page }) => {
  const box = (name, z, fixed) => ({ name, fixed, shape: { box: { size: [1, 1, 1], center: [0, 0, z] } } });
  const sway = (duration) => ({ sine: { amplitude: [0.5, 0, 0], frequency_hz: 1, duration } });
  const model = { drystone: 1, name: "swaying", blocks: [box("base", 0.5, true), box("top", 1.5, false)], motions: { short: sway(0.5), long: sway(1) } };
  await drop(page, [{ name: "swaying.json", text: JSON.stringify(model) }]);
  await page.waitForFunction(() => window.drystone.name === "swaying");
  await rightTab(page, "shake");
  await at(page, "shake-kind").selectOption("model");
  assert.equal(await at(page, "shake-motion").inputValue(), "short", "the first is chosen where nothing else is");
  await at(page, "shake-motion").selectOption("long");
  await shakeTo(page, 1, 1);
  const { most: own } = await ground(page);
  await shakeTo(page, 1, 3);
  const { most: scaled } = await ground(page);
  assert.ok(own > 1e-3 && Math.abs(scaled / own - 3) < 1e-3, `${own} and ${scaled}`);
  // Another model has none of its own.
  await openRecipe(page, "stack");
  assert.equal(await at(page, "shake-kind").inputValue(), "sine");
});

withPage("a run that is stopped while it is held ends there, says so, and another may begin", async ({ page }) => {
  await openRecipe(page, "wall");
  await shake(page, { duration: 20 });
  await page.waitForFunction(() => window.drystone.frames > 3);
  await at(page, "shake-pause").click();
  assert.equal(await at(page, "shake-pause").getAttribute("aria-pressed"), "true");
  assert.equal(await at(page, "shake-start").isDisabled(), true, "one at a time");
  await at(page, "shake-stop").click();
  await ended(page);
  await at(page, "run-facts").filter({ hasText: "Stopped" }).waitFor();
  assert.equal(await at(page, "shake-pause").isDisabled(), true);
  await openRecipe(page, "stack");
  await shake(page, { amplitude: 0.1, duration: 0.5 });
  await ended(page);
  assert.ok((await read(page)).frames > 20);
});

const method = (page, name) => page.getByTestId("shake-method").locator("label", { hasText: name }).click();

withPage("explicit steps: an arch moves, the method and what was assumed are named, and settings of the other method are gone", async ({ page }) => {
  await openRecipe(page, "arch");
  await rightTab(page, "shake");
  const says = at(page, "shake-method-says");
  await method(page, "Automatic");
  assert.equal(await says.innerText(), "Implicit steps, because joints are rigid and friction is associated.");
  await at(page, "shake-settings").locator("summary").click();
  const shown = async () => Promise.all(["shake-law", "shake-step", "shake-stiffness", "shake-damping"].map((id) => at(page, id).isVisible()));
  assert.deepEqual(await shown(), [true, true, true, false], "of implicit steps");
  await method(page, "Explicit");
  assert.deepEqual(await shown(), [false, false, true, true], "of explicit steps");
  assert.match(await at(page, "shake-stiffness").getAttribute("placeholder"), /1e10/);

  await shake(page, { amplitude: 0.6, duration: 0.5 });
  await ended(page);
  assert.equal(await page.evaluate(() => window.drystone.integrator), "explicit");
  const facts = at(page, "run-facts");
  await facts.filter({ hasText: /Explicit steps of [\d.]+ µs/ }).filter({ hasText: "Greatest displacement" }).waitFor();
  await at(page, "shake-warnings").filter({ hasText: "given 1e10 N/m³" }).waitFor();
  const { most, last } = await ground(page);
  assert.ok(most > 1e-3 && Math.abs(last - 0.5) < 1e-6, `the ground moves by ${most} until ${last}`);
  const csv = await downloaded(page, () => at(page, "export-csv").click());
  const [head, ...rows] = csv.bytes.toString("utf8").trim().split(/\r?\n/).map((row) => row.split(","));
  const kinetic = head.indexOf("kinetic_j");
  assert.ok(rows.some((row) => Number(row[kinetic]) > 1), "blocks move");
});

withPage("a stiffness or Coulomb friction leads to explicit steps by itself; how fast they are is told", async ({ page }) => {
  await openRecipe(page, "arch");
  await rightTab(page, "shake");
  await at(page, "shake-settings").locator("summary").click();
  const says = at(page, "shake-method-says");
  await method(page, "Automatic");
  await page.getByTestId("shake-law").locator("label", { hasText: "Coulomb" }).click();
  assert.match(await says.innerText(), /^Explicit steps, because Coulomb friction/);
  await page.getByTestId("shake-law").locator("label", { hasText: "Associated" }).click();
  assert.match(await says.innerText(), /^Implicit steps/);
  await type(page, "shake-stiffness", "1e9");
  assert.equal(await says.innerText(), "Explicit steps, because a joint stiffness is given.");

  await shake(page, { duration: 100 });
  await page.waitForFunction(() => window.drystone.frames > 3);
  assert.equal(await page.evaluate(() => window.drystone.integrator), "explicit");
  await at(page, "status-run").filter({ hasText: /Explicit steps of [\d.]+ µs · [\d,]+ a second/ }).waitFor();
  assert.doesNotMatch((await at(page, "shake-warnings").textContent()) ?? "", /1e10/, "nothing was assumed");
  await at(page, "shake-pause").click();
  assert.equal((await read(page)).run, "paused");
  await at(page, "shake-pause").click();
  await at(page, "shake-stop").click();
  await ended(page);
  assert.equal(await at(page, "status-run").isVisible(), false);

  // What the server does not take is told, and nothing runs.
  await type(page, "shake-stiffness", "0.5");
  await at(page, "shake-start").click();
  await at(page, "notice").filter({ hasText: "joint stiffness" }).waitFor();
  assert.equal((await read(page)).run, null);
});
