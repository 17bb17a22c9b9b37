/** What is measured, and pictures of the page: nothing runs beside them. */

import "./cases/pictures.mjs";
import "./cases/measure.mjs";
