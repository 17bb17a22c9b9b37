/** Does it stand? The page against the command line and theory. */

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drystone, folder, settled, withPage } from "../harness.mjs";
import { ask, at, choose, downloaded, openRecipe, rightTab, setFriction } from "../steps.mjs";

withPage("the arch stands below the critical tilt of the command line and falls above it", async ({ page }) => {
  drystone("new", "arch", "-o", "arch.json", "--quiet");
  const { critical_tilt_deg: critical } = drystone("tilt", "arch.json", "--axis", "0,1,0", "--method", "cone", "--json");
  assert.ok(critical > 1 && critical < 40, `critical tilt ${critical}`);
  assert.equal(await openRecipe(page, "arch"), "stable");

  const dial = at(page, "tilt");
  const angle = async () => Number(await dial.getAttribute("aria-valuenow"));
  await dial.focus();
  // Arrows go by half a degree, with Shift by a twentieth.
  while ((await angle()) + 0.5 <= critical) await page.keyboard.press("ArrowRight");
  while ((await angle()) + 0.05 <= critical) await page.keyboard.press("Shift+ArrowRight");
  assert.ok(critical - (await angle()) < 0.06);
  assert.equal(await settled(page), "stable", `at ${await angle()} degrees, critical ${critical}`);
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok((await angle()) > critical);
  assert.equal(await settled(page), "unstable", `at ${await angle()} degrees, critical ${critical}`);
  await page.keyboard.press("0");
  assert.equal(await settled(page), "stable");

  await at(page, "critical-tilt").click();
  await at(page, "margin-0").waitFor();
  assert.match(await at(page, "margin-0").innerText(), new RegExp(`${critical.toFixed(1)}\\d?°`));
});

withPage("blocks in a stack slide at the friction of the slope", async ({ page }) => {
  await openRecipe(page, "stack");
  // Stacked blocks on a plane tilted by 20 degrees slide below tan 20 = 0.364.
  await at(page, "tilt").focus();
  for (let k = 0; k < 4; k++) await page.keyboard.press("PageUp");
  assert.equal(await at(page, "tilt").getAttribute("aria-valuenow"), "20");
  await rightTab(page, "check");
  assert.equal(await setFriction(page, 0.35), "unstable");
  // With more it stands: it tips only beyond 21.8 degrees, being 1 m wide and 2.5 m high.
  assert.equal(await setFriction(page, 0.38), "stable");
});

withPage("self-stress decides about the block between two walls", async ({ page }) => {
  // Model H: an admissible force distribution exists (cone, rbe), but no displacement mobilises it (cra).
  await openRecipe(page, "model-h");
  const words = { cone: "stable", rbe: "stable", cra: "unstable", "cra-penalty": "unstable" };
  drystone("new", "model-h", "-o", "model-h.json", "--quiet");
  for (const [method, verdict] of Object.entries(words)) {
    assert.equal(drystone("check", "model-h.json", "--method", method, "--json").verdict, verdict, `command line by ${method}`);
    assert.equal(await ask(page, method), verdict, method);
    // Coupled analysis may have answered by then, where the method leaves the question open.
    const alone = `${method}, self-stress ${method.startsWith("cra") ? "not allowed" : "allowed"}`;
    assert.match(await at(page, "status-verdict").innerText(), new RegExp(`\\((${alone}|${method} and cra, self-stress not allowed)\\)`));
  }
});

withPage("where a verdict allows self-stress, a second opinion does not", async ({ page }) => {
  const said = (verdict) => page.waitForFunction((wanted) => window.drystone.opinion === wanted, verdict, { polling: 30 });
  // A stack needs no self-stress; the block between two walls is held by nothing else.
  assert.equal(await openRecipe(page, "stack"), "stable");
  await said("stable");
  assert.equal(await openRecipe(page, "model-h"), "stable");
  await said("unstable");
  assert.match(await at(page, "opinion").innerText(), /only with self-stress/i);
  await at(page, "announcement").filter({ hasText: "Without it the structure falls" }).waitFor();
  // The card says the same as the command line, which asks both.
  drystone("new", "model-h", "-o", "model-h.json", "--quiet");
  const { conclusion } = drystone("check", "model-h.json", "--json");
  assert.equal(await at(page, "verdict-reason").innerText(), conclusion);
  await at(page, "method-remark").click();
  assert.match(await at(page, "method-help").innerText(), /forces that no displacement has mobilised/);
  await at(page, "opinion-see").click();
  assert.equal(await settled(page), "unstable");
  assert.equal(await at(page, "method").inputValue(), "cra");
  // It is about the question that is on screen: nothing is said while that changes, nor of what falls.
  await said(null);
});

withPage("some blocks alone: what falls as a whole stands where its neighbours are held", async ({ page }) => {
  await openRecipe(page, "shelf");
  assert.equal(await settled(page), "unstable");
  // The struts stand but for the two hangers, as the paper has it.
  await choose(page, "springer", "prop", "middle", "left-arm");
  await rightTab(page, "check");
  await at(page, "check-alone").click();
  assert.equal(await settled(page), "stable");
  await at(page, "check-all").click();
  assert.equal(await settled(page), "unstable");
  await choose(page, "hanger-left");
  await at(page, "check-alone").click();
  assert.equal(await settled(page), "unstable");
});

withPage("a mechanism plays and stops", async ({ page }) => {
  await openRecipe(page, "shelf");
  await rightTab(page, "check");
  const play = at(page, "mechanism-play");
  const view = at(page, "view");
  const picture = () => view.screenshot();
  if ((await play.getAttribute("aria-pressed")) !== "true") await play.click();
  const first = await picture();
  await assert.doesNotReject(async () => {
    for (let k = 0; k < 40; k++) if (!(await picture()).equals(first)) return;
    throw new Error("nothing moves while the mechanism plays");
  });
  await play.click();
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  // Two pictures after the last animation frame are the same.
  await page.evaluate(() => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle))));
  assert.ok((await picture()).equals(await picture()), "it stands still when stopped");
});

withPage("certificates hold for the model as saved, by the code of `drystone verify`", async ({ page }) => {
  for (const [recipe, claim] of [["arch", "stable"], ["shelf", "unstable"]]) {
    await openRecipe(page, recipe);
    await rightTab(page, "check");
    const certificate = await downloaded(page, () => at(page, "certificate").click());
    assert.equal(certificate.name, `${recipe}-certificate.json`);
    await at(page, "save").click();
    const model = await downloaded(page, () => at(page, "save-download").click());
    await writeFile(join(folder, "c.json"), certificate.bytes);
    await writeFile(join(folder, "m.json"), model.bytes);
    const verified = drystone("verify", "c.json", "m.json", "--json");
    assert.equal(verified.valid, true, JSON.stringify(verified));
    assert.equal(verified.claim, claim);
    // Another model's certificate is none.
    await writeFile(join(folder, "other.json"), JSON.stringify({ ...JSON.parse(model.bytes), density: 1234 }));
    assert.equal(drystone("verify", "c.json", "other.json", "--json").valid, false);
  }
});
