/** Who asked the system for less motion sees nothing move by itself. */

import assert from "node:assert/strict";
import { withPage } from "../harness.mjs";
import { at, openRecipe, rightTab } from "../steps.mjs";

/** Pictures drawn within a while. */
const drawn = (page) =>
  page.evaluate(async () => {
    const before = window.drystone.pictures;
    await new Promise((settle) => setTimeout(settle, 600));
    return window.drystone.pictures - before;
  });

withPage("a mechanism waits until it is played, and nothing fades", { still: true }, async ({ page }) => {
  await openRecipe(page, "shelf");
  await rightTab(page, "check");
  const play = at(page, "mechanism-play");
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  await drawn(page);
  assert.equal(await drawn(page), 0, "nothing is drawn while nothing moves");
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  const pictures = await page.evaluate(() => window.drystone.pictures);
  await play.click();
  await page.waitForFunction((were) => window.drystone.pictures > were + 3, pictures, { polling: 50 });
  await play.click();
  await drawn(page);
  assert.equal(await drawn(page), 0);
});

withPage("nothing is drawn while nothing changes", async ({ page }) => {
  await openRecipe(page, "arch");
  await drawn(page);
  assert.equal(await drawn(page), 0);
});
