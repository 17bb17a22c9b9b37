/** The other half of the browser tests. */

import "./cases/connection.mjs";
import "./cases/tabs.mjs";
import "./cases/report.mjs";
import "./cases/touch.mjs";
import "./cases/motion.mjs";
import "./cases/slow.mjs";
import "./cases/deform.mjs";
import "./cases/look.mjs";
import "./cases/units.mjs";
import "./cases/study.mjs";
import "./cases/axe.mjs";
import "./cases/records.mjs";
