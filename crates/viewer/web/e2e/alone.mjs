/** What goes by the clock or is measured, and pictures of the page: nothing runs beside them. */

import "./cases/shake.mjs";
import "./cases/pictures.mjs";
import "./cases/measure.mjs";
