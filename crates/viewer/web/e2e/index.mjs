/** All browser tests in one process, so that they share a browser and a server. */

import "./cases/first-visit.mjs";
import "./cases/recipes.mjs";
import "./cases/check.mjs";
import "./cases/shelf.mjs";
import "./cases/edit.mjs";
import "./cases/joints.mjs";
import "./cases/files.mjs";
import "./cases/opening.mjs";
import "./cases/connection.mjs";
import "./cases/tabs.mjs";
import "./cases/shake.mjs";
import "./cases/report.mjs";
import "./cases/keyboard.mjs";
import "./cases/layout.mjs";
import "./cases/touch.mjs";
import "./cases/motion.mjs";
import "./cases/axe.mjs";
import "./cases/pictures.mjs";
import "./cases/measure.mjs";
