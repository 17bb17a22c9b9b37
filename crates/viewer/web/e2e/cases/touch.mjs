/** By finger, on tablets. */

import assert from "node:assert/strict";
import { read, withPage } from "../harness.mjs";
import { at, openRecipe, rightTab } from "../steps.mjs";

const LANDSCAPE = { width: 1024, height: 768 };
const PORTRAIT = { width: 768, height: 1024 };

const eye = (page) => page.evaluate(() => window.drystone.eye);
const distance = ({ at, target }) => Math.hypot(...at.map((each, k) => each - target[k]));
const away = (a, b) => Math.hypot(...a.map((each, k) => each - b[k]));

/** Fingers that go down, along their paths in steps, and up. */
async function fingers(page, ...paths) {
  const session = await page.context().newCDPSession(page);
  const STEPS = 6;
  const points = (part) => paths.map(([from, to], id) => ({ id, x: from[0] + (to[0] - from[0]) * part, y: from[1] + (to[1] - from[1]) * part }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(0) });
  for (let k = 1; k <= STEPS; k++) await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(k / STEPS) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.evaluate(() => new Promise((settle) => requestAnimationFrame(settle)));
}

async function longPress(page, x, y) {
  const session = await page.context().newCDPSession(page);
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  await page.waitForTimeout(700);
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

withPage("one finger orbits, two pan and zoom, and neither selects", { size: LANDSCAPE, touch: true }, async ({ page }) => {
  const box = await at(page, "view").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const first = await eye(page);
  await fingers(page, [[x, y], [x + 90, y + 20]]);
  const turned = await eye(page);
  assert.ok(away(first.at, turned.at) > 1, "the eye goes round");
  assert.ok(away(first.target, turned.target) < 1e-6, "what it looks at stays");
  assert.ok(Math.abs(distance(first) - distance(turned)) < 1e-6);

  await fingers(page, [[x - 40, y], [x - 120, y]], [[x + 40, y], [x + 120, y]]);
  const closer = await eye(page);
  assert.ok(distance(closer) < 0.7 * distance(turned), `${distance(closer)} of ${distance(turned)}`);
  await fingers(page, [[x - 40, y], [x + 20, y + 30]], [[x + 40, y], [x + 100, y + 30]]);
  const panned = await eye(page);
  assert.ok(away(closer.target, panned.target) > 0.1, "two fingers pan");
  assert.deepEqual((await read(page)).selection, []);
});

withPage("a tap selects, a long press adds, and so do taps where a button says so", { size: LANDSCAPE, touch: true }, async ({ page }) => {
  await openRecipe(page, "stack");
  await at(page, "view-front").click();
  const box = await at(page, "view").boundingBox();
  const x = box.x + box.width / 2;
  const up = (part) => box.y + box.height * part;
  const chosen = async () => (await read(page)).selection;
  await page.touchscreen.tap(x, up(0.5));
  const [first, ...others] = await chosen();
  assert.ok(first && others.length === 0);
  await longPress(page, x, up(0.3));
  assert.equal((await chosen()).length, 2);
  assert.ok((await chosen()).includes(first));
  await longPress(page, x, up(0.3));
  assert.deepEqual(await chosen(), [first], "again, and it is taken away");

  await at(page, "select-several").click();
  await page.touchscreen.tap(x, up(0.7));
  assert.equal((await chosen()).length, 2);
  await at(page, "select-several").click();
  await page.touchscreen.tap(x, up(0.7));
  assert.equal((await chosen()).length, 1);
  await page.touchscreen.tap(box.x + 12, up(0.94));
  assert.deepEqual(await chosen(), [], "beside the structure is nothing");
});

for (const [name, size] of [["landscape", LANDSCAPE], ["portrait", PORTRAIT]])
  withPage(`fingers find all controls, ${name}`, { size, touch: true }, async ({ page }) => {
    const view = await at(page, "view").boundingBox();
    assert.ok(view.width >= 440 && view.height >= 380, `the view is ${view.width} by ${view.height}`);
    const small = [];
    for (const tab of ["check", "edit", "thrust", "shake", "slow", "report"]) {
      await rightTab(page, tab);
      small.push(
        ...(await page.evaluate(() =>
          [...document.querySelectorAll("button, select, input, summary")].flatMap((each) => {
            const target = each.matches("[type=checkbox], [type=radio]") ? each.closest("label") : each;
            const { width, height } = target.getBoundingClientRect();
            const hidden = width === 0 || each.closest("dialog, [hidden]");
            return hidden || (width >= 28 && height >= 32) ? [] : [`${each.dataset.testid ?? each.textContent}: ${width} by ${height}`];
          }),
        )),
      );
    }
    assert.deepEqual([...new Set(small)], []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wide, 0, "nothing sticks out");
  });
