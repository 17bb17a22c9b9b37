/** One half of the browser tests, in one process, so that they share a browser and a server. The other half runs beside it. */

import "./cases/first-visit.mjs";
import "./cases/recipes.mjs";
import "./cases/check.mjs";
import "./cases/shelf.mjs";
import "./cases/edit.mjs";
import "./cases/joints.mjs";
import "./cases/files.mjs";
import "./cases/opening.mjs";
import "./cases/import.mjs";
import "./cases/keyboard.mjs";
import "./cases/layout.mjs";
import "./cases/numbers.mjs";
import "./cases/states.mjs";
import "./cases/margins.mjs";
