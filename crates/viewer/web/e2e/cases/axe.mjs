/** Accessibility rules of axe, in every panel and both themes. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { changing, drystone, folder, withPage } from "../harness.mjs";
import { at, choose, leftTab, openRecipe, rightTab, type } from "../steps.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const violations = (page) =>
  page.evaluate(async () => {
    // Frames are documents of their own: the preview of the report is sandboxed and cannot be asked.
    const { violations } = await window.axe.run(document, { iframes: false });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} (${(node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ""})`));
  });

const STUDY = `
model = { recipe = "block" }
[simulation]
dt = 0.01
[failure_domain]
direction = "x"
half_periods = [0.2, 0.6]
amplitudes_g = [0.2, 0.8]
`;

for (const theme of ["light", "dark"]) {
  withPage(`axe finds nothing in a study, ${theme}`, { theme }, async ({ page }) => {
    writeFileSync(join(folder, "impulses.toml"), STUDY);
    drystone("study", "impulses.toml", "-o", "impulses", "--quiet");
    await page.reload();
    await leftTab(page, "open");
    await at(page, "file-impulses").click();
    await page.waitForFunction(() => window.drystone.study?.complete);
    await at(page, "run-list").locator(".row").nth(2).click();
    await page.waitForFunction(() => window.drystone.run === "ended");
    await at(page, "run-results").locator("summary").click();
    await page.evaluate(AXE);
    assert.deepEqual([...new Set(await violations(page))], []);
  });


  withPage(`axe finds nothing in any panel, ${theme}`, { welcomed: false, theme }, async ({ page }) => {
    await page.evaluate(AXE);
    const found = [];
    const look = async (where) => {
      // Colours that fade are looked at once they have faded.
      await page.evaluate(() => Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {}))));
      for (const each of await violations(page)) found.push(`${where}: ${each}`);
    };
    await look("first visit");
    await at(page, "welcome-dismiss").click();
    for (const tab of ["open", "parameters", "blocks"]) {
      await leftTab(page, tab);
      await look(tab);
    }
    await openRecipe(page, "stack");
    await choose(page, "block-10");
    for (const tab of ["check", "edit", "thrust", "shake", "slow", "report"]) {
      await rightTab(page, tab);
      await look(tab);
    }
    await at(page, "tables").click();
    await at(page, "dimensions").click();
    await at(page, "measure").click();
    await look("table of joints");
    await at(page, "sort-between").click();
    await at(page, "row-3").click();
    await rightTab(page, "check");
    await at(page, "show-use").check();
    await look("a joint");
    await at(page, "table-which-blocks").check();
    await look("table of blocks");
    await at(page, "views").click();
    await at(page, "view-save").click();
    await look("saved views");
    await page.keyboard.press("Escape");
    await at(page, "views-menu").waitFor({ state: "hidden" });
    for (const tool of ["tables", "dimensions", "measure"]) await at(page, tool).click();
    await rightTab(page, "report");
    await at(page, "report-make").click();
    await at(page, "report-frame").waitFor();
    await look("report made");
    await rightTab(page, "shake");
    await type(page, "shake-duration-number", 0.5);
    await at(page, "shake-start").click();
    await page.waitForFunction(() => window.drystone.run === "ended");
    await look("after a run");
    await rightTab(page, "slow");
    await at(page, "slow-start").click();
    await page.waitForFunction(() => window.drystone.slow?.state === "ended");
    await look("after a slow loading");
    await rightTab(page, "edit");
    await changing(page, () => at(page, "delete").click());
    await openRecipe(page, "shelf");
    await leftTab(page, "open");
    await at(page, "kept-restore").waitFor();
    await look("kept");
    await rightTab(page, "check");
    await look("falls");
    await at(page, "help").click();
    await look("help");
    await page.keyboard.press("Escape");
    await at(page, "save").click();
    await look("save");
    assert.deepEqual([...new Set(found)], []);
  });
}
