/** The report: one file that needs nothing else. */

import assert from "node:assert/strict";
import { withPage } from "../harness.mjs";
import { ask, at, downloaded, openRecipe, rightTab } from "../steps.mjs";

for (const [recipe, method, word] of [["arch", "cone", /\bstands\b|\bstable\b/i], ["shelf", "cra", /\bfalls\b|\bunstable\b/i]]) {
  withPage(`the report on the ${recipe} holds the verdict and refers to nothing outside`, async ({ page }) => {
    await openRecipe(page, recipe);
    await ask(page, method);
    await rightTab(page, "report");
    await at(page, "report-make").click();
    await at(page, "report-frame").waitFor();
    const file = await downloaded(page, () => at(page, "report-download").click());
    assert.equal(file.name, `${recipe}-report.html`);
    const html = file.bytes.toString("utf8");
    assert.match(html, /^<!doctype html>/i);
    // Namespaces of SVG are names, not addresses.
    const addresses = [...html.matchAll(/https?:\/\/[^\s"'<>)]+/g)].map(([found]) => found).filter((found) => !found.startsWith("http://www.w3.org/"));
    assert.deepEqual(addresses, []);
    assert.doesNotMatch(html, /<(?:script|link|iframe)\b[^>]*(?:src|href)=/i);
    assert.match(html, /data:image\/png;base64,[A-Za-z0-9+/=]{1000}/, "the picture of the view");
    const text = html.replace(/<style[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, "").replace(/<[^>]+>/g, " ");
    assert.match(text, word);
    assert.match(text, new RegExp(`\\b${method}\\b`, "i"));
    assert.match(text, new RegExp(recipe));
  });
}
