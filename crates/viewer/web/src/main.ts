/** Puts the page together. */

import "./styles/base.css";
import "./styles/layout.css";
import "./styles/over.css";
import "./styles/look.css";
import "./styles/tables.css";
import "./styles/sliders.css";
import "./styles/controls.css";
import "./styles/widgets.css";
import "./styles/panels.css";
import "./styles/verdict.css";
import "./styles/margins.css";
import "./styles/runs.css";
import "./styles/kept.css";
import "./styles/slow.css";
import "./styles/study.css";
import "./styles/dialogs.css";
import "./styles/touch.css";

import { checkLive, thrustLive } from "./actions/ask";
import { begin } from "./actions/keep";
import { secondOpinion } from "./actions/opinion";
import { onConnected, socket } from "./actions/server";
import { expose } from "./expose";
import { helpDialog, listen, shortcuts } from "./keys";
import { blocksPanel } from "./panels/blocks";
import { bottomBar } from "./panels/bottom";
import { pickedCard } from "./panels/card";
import { checkPanel } from "./panels/check";
import { colorBar } from "./panels/colorbar";
import { editPanel } from "./panels/edit";
import { hoverTip } from "./panels/hover";
import { importDialog } from "./panels/import";
import { acceptDrops, openPanel } from "./panels/open";
import { parametersPanel } from "./panels/parameters";
import { reportPanel, setPicture } from "./panels/report";
import { shakePanel } from "./panels/shake";
import { runCard } from "./panels/runcard";
import { slowPanel } from "./panels/slow";
import { banner, statusLine } from "./panels/status";
import { studyPanel } from "./panels/study";
import { tablesPanel } from "./panels/tables";
import { thrustPanel } from "./panels/thrust";
import { startTheme, topBar } from "./panels/top";
import { viewTools } from "./panels/viewtools";
import { welcomeCard } from "./panels/welcome";
import { Display } from "./scene/display";
import { makeGizmo } from "./scene/gizmo";
import { Marks } from "./scene/marks";
import { orbitByKeys, selectByPointer } from "./scene/pointer";
import { Stage } from "./scene/stage";
import * as state from "./state";
import { effect, signal } from "./store";
import { h } from "./ui/h";
import { tabs } from "./ui/tabs";

startTheme();
const root = document.getElementById("app")!;
const leftTab = signal<"open" | "parameters" | "blocks">("parameters");
const canvas = h("canvas", { class: "view", tabindex: 0, role: "img", "aria-label": "The structure in three dimensions. Arrow keys orbit, plus and minus zoom; its blocks are listed under Blocks.", testid: "view" });
const viewport = h("main", { class: "viewport", "aria-label": "View" }, canvas, colorBar(), pickedCard(), banner(), welcomeCard(), runCard());
root.append(viewport);

function makeStage(): Stage {
  try {
    return new Stage(canvas);
  } catch (error) {
    viewport.replaceChildren(h("p", { class: "no-view", role: "alert" }, "This browser does not draw in three dimensions: WebGL 2 is missing or switched off."));
    throw error;
  }
}

const stage = makeStage();
const display = new Display(stage);
makeGizmo(stage, display);
const marks = new Marks(stage, display);
canvas.after(marks.labels.element, ...viewTools(stage));
viewport.append(hoverTip());
selectByPointer(stage, display);
orbitByKeys(stage);
setPicture(() => stage.picture());

/** Where there is room for one panel, opening it closes the other. */
const narrow = matchMedia("(max-width: 620px)");
const toggle = (side: "left" | "right", other: "left" | "right") => () => {
  const closed = root.classList.toggle(`no-${side}`);
  if (!closed && narrow.matches) root.classList.add(`no-${other}`);
};
if (narrow.matches) root.classList.add("no-left");
const sides = { left: toggle("left", "right"), right: toggle("right", "left") };
const help = helpDialog(() => list);
const list = shortcuts(stage, { help: help.show, ...sides, save: () => document.querySelector<HTMLButtonElement>("[data-testid=save]")?.click() });
// Charts and lists of runs need more room than fields do, and the view is not to jump from tab to tab.
effect(() => void root.classList.toggle("studying", state.study() !== null));
const toParameters = () => leftTab.set("parameters");

root.prepend(topBar(help.show, sides));
root.append(
  h(
    "aside",
    { class: "side left", "aria-label": "Structure" },
    tabs(
      "left",
      "Structure",
      [
        { id: "open", label: "Open", content: openPanel(toParameters) },
        { id: "parameters", label: "Parameters", content: parametersPanel(() => leftTab.set("open")) },
        { id: "blocks", label: "Blocks", content: blocksPanel() },
      ],
      leftTab,
    ),
  ),
  h(
    "aside",
    { class: "side right", "aria-label": "Analysis" },
    tabs(
      "right",
      "Analysis",
      [
        { id: "study", label: "Study", content: studyPanel(), shown: () => state.study() !== null },
        { id: "check", label: "Check", content: checkPanel() },
        { id: "edit", label: "Edit", content: editPanel() },
        { id: "thrust", label: "Thrust", content: thrustPanel() },
        { id: "shake", label: "Shake", content: shakePanel() },
        { id: "slow", label: "Slow load", title: "Slow loading", content: slowPanel() },
        { id: "report", label: "Report", content: reportPanel() },
      ],
      state.tab,
    ),
  ),
  bottomBar(stage, tablesPanel()),
  statusLine(),
  help.dialog,
  importDialog(),
);
acceptDrops(root, toParameters);
listen(list);
expose(stage);
checkLive();
secondOpinion();
thrustLive();
onConnected(() => void begin());
socket.connect();
