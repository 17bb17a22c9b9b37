/** Line icons on a 20 by 20 field. */

import { s } from "./h";

const PATHS = {
  undo: "M7 5 3 9l4 4M3 9h8a5 5 0 0 1 0 10H9",
  redo: "m13 5 4 4-4 4m4-4H9a5 5 0 0 0 0 10h2",
  save: "M10 3v9m0 0 3.500-3.500M10 12 6.500 8.500M3.500 13v3.500h13V13",
  moon: "M16.500 12.500A7 7 0 0 1 7.500 3.500a7 7 0 1 0 9 9z",
  play: "M6 4v12l10-6z",
  pause: "M6.500 4v12M13.500 4v12",
  stop: "M5 5h10v10H5z",
  close: "m5 5 10 10M15 5 5 15",
  loop: "M4 9a5 5 0 0 1 5-5h6m0 0-2.500-2.500M15 4l-2.500 2.500M16 11a5 5 0 0 1-5 5H5m0 0 2.500 2.500M5 16l2.500-2.500",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  cube: "m10 2.500 6.500 3.750v7.500L10 17.500l-6.500-3.750v-7.500zM3.500 6.250 10 10l6.500-3.750M10 10v7.500",
  front: "M4 4h12v12H4z",
  side: "M4 4h7v12H4zM11 4l5 2.500v7L11 16",
  top: "m10 4 7 4.500-7 4.500-7-4.500z",
  ortho: "M3 6h9v9H3zM8 3h9v9M3 6l5-3M12 6l5-3M12 15l5-3",
  edges: "M3.500 7.500 10 4l6.500 3.500v6L10 17l-6.500-3.500z",
  joints: "M3 10h14M3 5h14v10H3zM8 5v5M12 10v5",
  section: "M10 2v16M10 5H4v10h6M13 5h3v10h-3",
  left: "M3.500 4h13v12h-13zM8 4v12",
  right: "M3.500 4h13v12h-13zM12 4v12",
  open: "M2.500 16V4.500H8l1.500 2h8V16z",
  up: "M10 16V4m0 0L5.500 8.500M10 4l4.500 4.500",
  down: "M10 4v12m0 0 4.500-4.500M10 16l-4.500-4.500",
  reset: "M4 10a6 6 0 1 0 2-4.500M4 2v4h4",
  several: "M3 3h8v8H3zM15 11v7M11.500 14.500h7",
  views: "M3 5h9M3 10h6M3 15h6M13.500 10.500l1.200 2.600 2.800.300-2.100 1.900.600 2.800-2.500-1.500-2.500 1.500.600-2.800-2.100-1.900 2.800-.300z",
  dimensions: "M3 5v10M17 5v10M3 10h14m0 0-2.500-2.500M17 10l-2.500 2.500M3 10l2.500-2.500M3 10l2.500 2.500",
  measure: "m3 13 10-10 4 4L7 17zM6 10l1.500 1.500M8.500 7.500 10 9M11 5l1.500 1.500",
  table: "M3 4h14v12H3zM3 8h14M3 12h14M8.500 8v8",
  camera: "M3 6h3l1.500-2h5L14 6h3v10H3zM10 8a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  return s(
    "svg",
    { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true", class: "icon" },
    s("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linecap": "round", "stroke-linejoin": "round" }),
  );
}
