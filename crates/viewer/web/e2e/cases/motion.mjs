/** Who asked the system for less motion sees nothing move by itself. */

import assert from "node:assert/strict";
import { withPage } from "../harness.mjs";
import { at, openRecipe, rightTab } from "../steps.mjs";

/** Whether pictures cease: those on their way still come, then none does for a second. */
const ceases = (page) =>
  page.evaluate(async () => {
    for (let k = 0; k < 8; k++) {
      const before = window.drystone.pictures;
      await new Promise((settle) => setTimeout(settle, 1000));
      if (window.drystone.pictures === before) return true;
    }
    return false;
  });

withPage("a mechanism waits until it is played, and nothing fades", { still: true }, async ({ page }) => {
  await openRecipe(page, "shelf");
  await rightTab(page, "check");
  const play = at(page, "mechanism-play");
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  assert.ok(await ceases(page), "nothing is drawn while nothing moves");
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  const pictures = await page.evaluate(() => window.drystone.pictures);
  await play.click();
  await page.waitForFunction((were) => window.drystone.pictures > were + 3, pictures, { polling: 50 });
  await play.click();
  assert.ok(await ceases(page), "it stands still when stopped");
});

withPage("nothing is drawn while nothing changes", async ({ page }) => {
  await openRecipe(page, "arch");
  assert.ok(await ceases(page));
});
