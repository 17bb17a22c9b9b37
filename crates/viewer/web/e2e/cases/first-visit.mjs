/** What someone sees who comes for the first time. */

import assert from "node:assert/strict";
import { read, settled, withPage } from "../harness.mjs";
import { at } from "../steps.mjs";

withPage("the first visit shows the spandrel arch, standing, with three things to try", { welcomed: false }, async ({ page }) => {
  const seen = await read(page);
  assert.equal(seen.name, "spandrel-arch");
  // 16.2 m by 5 m of ten courses: 200 stones or so, as `drystone new spandrel-arch` makes.
  assert.equal(seen.blocks, 202);
  assert.equal(await at(page, "verdict").innerText(), "Stands");
  assert.equal(await at(page, "welcome").locator("button.try").count(), 3);
});

withPage("lowering the friction, as suggested, ends where stones slide", { welcomed: false }, async ({ page }) => {
  await at(page, "try-friction").click();
  await page.waitForFunction(() => window.drystone.verdict === "unstable" && !window.drystone.checking);
  const friction = Number(await at(page, "friction-number").inputValue());
  // The wall stands by its own 0.4, and nothing stands without friction.
  assert.ok(friction > 0 && friction < 0.4, `friction ${friction}`);
  assert.equal(await at(page, "verdict").innerText(), "Falls");
});

withPage("tilting, as suggested, ends where it tips over", { welcomed: false }, async ({ page }) => {
  await at(page, "try-tilt").click();
  await page.waitForFunction(() => window.drystone.verdict === "unstable" && !window.drystone.checking);
  const tilt = Number(await at(page, "tilt").getAttribute("aria-valuenow"));
  // On a friction of 0.4 stones slide at atan 0.4 = 21.8 degrees at the latest; steps are of half a degree.
  assert.ok(tilt > 0.5 && tilt <= 22, `tilt ${tilt}`);
});

withPage("shaking, as suggested, runs and moves the stones", { welcomed: false }, async ({ page }) => {
  await at(page, "try-shake").click();
  await page.waitForFunction(() => window.drystone.frames > 20);
  assert.equal(await at(page, "timeline").isVisible(), true);
  await at(page, "shake-stop").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
});

withPage("the things to try stay away once dismissed", { welcomed: false }, async ({ page }) => {
  await at(page, "welcome-dismiss").click();
  await page.reload();
  await settled(page);
  assert.equal(await at(page, "welcome").isVisible(), false);
});
