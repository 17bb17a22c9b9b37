/** Records: what they hold is seen before they shake; runs are kept, laid over each other and compared. */

import assert from "node:assert/strict";
import { withPage } from "../harness.mjs";
import { at, openRecipe, rightTab, stepOf, type } from "../steps.mjs";

const G = 9.81;
const DT = 0.01;

/** So many seconds of a sine of 2 Hz, in g, as a table. */
const sine = (peak, seconds) => {
  const rows = Array.from({ length: Math.round(seconds / DT) + 1 }, (_, k) => `${(k * DT).toFixed(3)},${(peak * Math.sin(4 * Math.PI * k * DT)).toFixed(6)}`);
  return Buffer.from(`time (s),acceleration (g)\n${rows.join("\n")}\n`);
};
const file = (name, peak, seconds) => ({ name, mimeType: "text/csv", buffer: sine(peak, seconds) });

const facts = (page) => at(page, "record-facts").evaluate((list) => Object.fromEntries([...list.querySelectorAll("dt")].map((name) => [name.textContent, name.nextElementSibling.textContent])));

async function chooseRecord(page, ...files) {
  await openRecipe(page, "block");
  await rightTab(page, "shake");
  await at(page, "shake-kind").selectOption("record");
  await at(page, "record-file").setInputFiles(files);
  await at(page, "plot-record").waitFor();
}

const near = (text, wanted, part = 0.01) => assert.ok(Math.abs(Number.parseFloat(text) - wanted) <= part * wanted, `${text}, expected ${wanted}`);

withPage("a record tells its peaks, its spectrum and how long it is, and sets the run's duration", async ({ page }) => {
  await chooseRecord(page, file("pulse.csv", 0.2, 4));
  const told = await facts(page);
  near(told.PGA, 0.2);
  // From rest, the velocity under a sine is (1 - cos) of a g T / 2 pi: its peak is a g T / pi.
  near(told.PGV, (0.2 * G * 0.5) / Math.PI);
  near(told.Duration, 4);
  assert.equal(Number(await at(page, "shake-duration-number").inputValue()), 4);
  // At resonance, after n = 8 cycles, 5 % of damping: 10 (1 - exp(-0.05 2 pi 8)) times the ground.
  const peak = await page.evaluate(() => Math.max(...window.drystone.record.components[0].spectrum_g));
  near(String(peak), 0.2 * 10 * (1 - Math.exp(-0.05 * 2 * Math.PI * 8)), 0.05);
  await at(page, "plot-spectrum").waitFor();

  await at(page, "record-scaling-pga").check();
  await type(page, "record-pga-number", 0.5);
  near((await facts(page)).PGA, 0.5);
  near((await facts(page)).PGV, (0.5 * G * 0.5) / Math.PI);
});

withPage("two components shake along two directions, scaled together", async ({ page }) => {
  await chooseRecord(page, file("ew.csv", 0.1, 1), file("ns.csv", 0.05, 1));
  const told = await facts(page);
  near(told["PGA +x"], 0.1);
  near(told["PGA +y"], 0.05);
  await at(page, "record-way-1").selectOption("z");
  await at(page, "record-facts").filter({ hasText: "PGA +z" }).waitFor();
  await at(page, "record-way-1").selectOption("y");
  await at(page, "record-facts").filter({ hasText: "PGA +y" }).waitFor();
  await at(page, "record-scaling-pga").check();
  await type(page, "record-pga-number", 0.2);
  await stepOf(page, 0.01);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  // After one second, two cycles, the ground has drifted by a g T t / 2 pi, as a record that begins with a full sine does.
  const [x, y] = await page.evaluate(() => window.drystone.groundMoved);
  near(String(x), (0.2 * G * 0.5 * 1) / (2 * Math.PI), 0.02);
  near(String(y), (0.1 * G * 0.5 * 1) / (2 * Math.PI), 0.02);
});

withPage("runs are kept side by side, and one is laid over the other", async ({ page }) => {
  await openRecipe(page, "block");
  await rightTab(page, "shake");
  await stepOf(page, 0.01);
  await type(page, "shake-duration-number", 1);
  const shaken = async (amplitude) => {
    const before = await page.evaluate(() => window.drystone.runId);
    await type(page, "shake-amplitude-number", amplitude);
    await at(page, "shake-start").click();
    await page.waitForFunction((was) => window.drystone.runId !== was && window.drystone.run === "ended", before);
  };
  await shaken(0.4);
  await shaken(0.5);
  const rows = at(page, "past-runs").locator("tbody tr");
  assert.equal(await rows.count(), 2);
  assert.match(await rows.nth(0).innerText(), /Sine 0\.400 g along x, 2\.00 Hz/);
  assert.match(await rows.nth(1).innerText(), /Sine 0\.500 g/);
  const plot = at(page, "plot-displacement");
  assert.match(await plot.innerText(), /Displacement along x/);
  const lines = () => plot.locator(".plot-line").count();
  // The block that moves farthest, and the ground beside it.
  assert.equal(await lines(), 2);
  assert.match(await plot.innerText(), /ground/);
  await at(page, "run-over-1").check();
  assert.equal(await lines(), 3);
  assert.match(await plot.innerText(), /block, run 1/);
  // The other is shown again, and the first laid over it no more.
  await at(page, "run-see-1").click();
  assert.match(await at(page, "past-run-1").getAttribute("aria-current"), /true/);
  assert.equal(await lines(), 2);
  await at(page, "run-over-2").check();
  assert.match(await plot.innerText(), /block, run 2/);
  await at(page, "run-forget-2").click();
  assert.equal(await lines(), 2);
});

withPage("displacements have signs: a block that is pushed back goes to the other side", async ({ page }) => {
  await openRecipe(page, "block");
  await rightTab(page, "shake");
  await at(page, "shake-kind").selectOption("impulse");
  await type(page, "shake-amplitude-number", 0.9);
  await stepOf(page, 0.01);
  await type(page, "shake-duration-number", 1);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  // The ground is pushed along +x, and leaves the block behind: against it, the block goes to -x.
  const values = await page.evaluate(() => window.drystone.movedX);
  const first = values.find((value) => Math.abs(value) > 0.01);
  assert.ok(first < 0, `${first}`);
  assert.match(await at(page, "plot-displacement").innerText(), /Displacement along x/);
  assert.ok((await page.evaluate(() => window.drystone.groundMoved[0])) > 0);
});
