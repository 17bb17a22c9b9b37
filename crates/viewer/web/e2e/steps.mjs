/** What a person does on the page, in words. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { changing, settled } from "./harness.mjs";

export const at = (page, id) => page.getByTestId(id);

export const leftTab = (page, name) => at(page, `left-tab-${name}`).click();
export const rightTab = (page, name) => at(page, `right-tab-${name}`).click();

export async function openRecipe(page, name) {
  await leftTab(page, "open");
  return changing(page, () => at(page, `recipe-${name}`).click());
}

/** Types a number into the field beside a slider. */
export async function type(page, id, value) {
  const field = at(page, id);
  await field.fill(String(value));
  await field.press("Enter");
}

/** Parameters of the recipe that is open; each rebuilds the model. */
export async function setParameters(page, values) {
  await leftTab(page, "parameters");
  for (const [name, value] of Object.entries(values)) await changing(page, () => type(page, `param-${name}-number`, value));
  return settled(page);
}

export async function ask(page, method) {
  await rightTab(page, "check");
  await at(page, "method").selectOption(method);
  return settled(page);
}

export async function setFriction(page, value) {
  await type(page, "friction-number", value);
  return settled(page);
}

/** Selects blocks by name in the list. */
export async function choose(page, ...names) {
  await leftTab(page, "blocks");
  for (const [index, name] of names.entries()) {
    await at(page, "block-filter").fill(name);
    const row = page.locator(".row.block", { has: page.getByText(name, { exact: true }) });
    await row.click({ modifiers: index ? ["Control"] : [] });
  }
  await at(page, "block-filter").fill("");
  const chosen = await page.evaluate(() => window.drystone.selection);
  assert.deepEqual([...chosen].sort(), [...names].sort());
}

export async function fillVector(page, id, values) {
  for (const [index, axis] of ["x", "y", "z"].entries()) await type(page, `${id}-${axis}`, values[index]);
}

/** What a button hands over as a file: its name and its bytes. */
export async function downloaded(page, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Drops files onto the page, as a file manager would. */
export async function drop(page, files) {
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, text, bytes } of list) data.items.add(new File([bytes ? new Uint8Array(bytes) : text], name));
    return data;
  }, files);
  await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** Accepts what is asked about files of other programs, with the supports that are said. */
export async function acceptImport(page, supports) {
  await at(page, "import-dialog").waitFor();
  await at(page, "import-supports").selectOption(supports);
  await page.locator('[data-testid=import-found][aria-busy="false"]').waitFor();
  await at(page, "import-accept").click();
}

/** Drags the thumb of a slider with the mouse to a part of its track, in steps; `until` may end it earlier. */
export async function dragSlider(page, id, from, to, steps, until = async () => false) {
  // A verdict that comes in changes the lines above the slider: it is taken hold of once it stays where it is.
  let box = await at(page, id).boundingBox();
  for (let still = 0; still < 5; ) {
    await page.waitForTimeout(80);
    const next = await at(page, id).boundingBox();
    still = next.x === box.x && next.y === box.y ? still + 1 : 0;
    box = next;
  }
  const y = box.y + box.height / 2;
  const THUMB = 14;
  const x = (part) => box.x + THUMB / 2 + part * (box.width - THUMB);
  await page.mouse.move(x(from), y);
  await page.mouse.down();
  let ended = false;
  for (let k = 1; k <= steps && !ended; k++) {
    await page.mouse.move(x(from + ((to - from) * k) / steps), y);
    ended = await until();
  }
  await page.mouse.up();
  return ended;
}

/** Steps of a run as long as this, in seconds: what looks at a run as a whole needs no short ones. */
export async function stepOf(page, seconds) {
  const details = at(page, "shake-settings");
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  await type(page, "shake-step-number", seconds);
}
