/** All that the page knows, in signals. Actions change it (src/actions); panels and the scene read it. */

import type { About } from "./persist";
import { AS_IN_MODEL, type SupportChange, factorsOf, supportsAsked } from "./question";
import type { Margin } from "./margins";
import type { PastRun } from "./pastruns";
import { derived, signal } from "./store";
import type {
  CheckAnswer,
  CheckArrays,
  Equilibrium,
  Frame,
  Geometry,
  Hello,
  Method,
  Model,
  SettleEnd,
  SimulateEnd,
  SimulateStarted,
  Situation,
  Skin,
  Stage,
  Study,
  StudyRun,
  ThrustAnswer,
  Vec3,
} from "./wire/types";

export type Tab = "study" | "check" | "edit" | "thrust" | "shake" | "slow" | "report";
export type Axis = "x" | "y" | "z";

export const AXES: Record<Axis, Vec3> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

export interface CheckResult {
  answer: CheckAnswer;
  arrays: CheckArrays;
  /** What it is about, as text. */
  about: string;
}

/** What a click met: a block, one of its faces, and where. */
export interface Picked {
  block: number;
  face: number;
  point: Vec3;
  normal: Vec3;
}

export interface Run {
  /** Id of the question, which exports name. */
  id: number;
  /** What it was asked for, in a few words. */
  label: string;
  /** How long it will be, in seconds. */
  duration_s: number;
  frames: Frame[];
  state: "running" | "paused" | "ended";
  /** How it is stepped; null until the server has made it ready, and for runs of the folder. */
  started: SimulateStarted | null;
  end: SimulateEnd | null;
}

/** A slow loading: equilibria from the first stage on. */
export interface SlowPath {
  id: number;
  /** As they were when it began. */
  stages: readonly Stage[];
  /** Opening or slip from which the server counts a joint as cracked, in metres. */
  crack_m: number;
  points: Equilibrium[];
  /** Surfaces of the blocks that deform; null where all are rigid. */
  skin: Skin | null;
  state: "running" | "ended";
  end: SettleEnd | null;
  /** The motion that follows the last equilibrium, six numbers a block. */
  motion: Float32Array | null;
  /** Why it could not be followed to its end. */
  error: string | null;
}

/** A run of the study that was chosen. */
export interface ChosenRun {
  run: string;
  /** Null until the server has told. */
  details: StudyRun | null;
  /** Whether it is on screen, or on its way there. */
  shown: boolean;
}

export interface Notice {
  tone: "info" | "error";
  text: string;
  help?: string | null;
  action?: { label: string; run: () => void };
}

export const hello = signal<Hello | null>(null);
export const model = signal<Model | null>(null);
export const geometry = signal<Geometry | null>(null);
/** What is under way, in words, or null. */
export const busy = signal<string | null>(null);
/** The long question that the person may stop. */
export const stoppable = signal<number | null>(null);
export const notice = signal<Notice | null>(null);
export const announcement = signal("");

/** Models that other tabs, most of them closed, have kept in this browser. */
export const keptElsewhere = signal<readonly (About & { isOpen: boolean })[]>([]);

export const tab = signal<Tab>("check");
export const selection = signal<ReadonlySet<number>>(new Set());
export const picked = signal<Picked | null>(null);
/** A tap adds to the selection: what Shift is to a click. */
export const addsToSelection = signal(false);

// What is asked. `null` leaves what the model says.
export const method = signal<Method>("cone");
export const friction = signal<number | null>(null);
/** On the friction of every joint, where joints differ; null: as in the model. */
export const frictionFactor = signal<number | null>(null);
export const density = signal<number | null>(null);
export const tiltDeg = signal(0);
export const tiltAxis = signal<Axis>("y");
export const supports = signal<SupportChange>(AS_IN_MODEL);
/** All supports by name where they are not the model's own. */
export const heldFixed = derived<string[] | null>(
  () => supportsAsked(model()?.blocks ?? [], supports()),
  (a, b) => JSON.stringify(a) === JSON.stringify(b),
);
export const only = signal<string[] | null>(null);
/** Of load cases that were changed; may name some that an undone edit has taken away: with the edit they come back as they were. */
export const loadFactors = signal<ReadonlyMap<string, number>>(new Map());
/** Of all load cases of the model: one where nobody has changed it. */
export const factors = () => factorsOf(model()?.loads ?? [], loadFactors());

export const situation = derived<Situation>(
  () => ({
  friction: friction(),
  friction_factor: frictionFactor(),
  density: density(),
  tilt: tiltDeg() === 0 ? null : { axis: AXES[tiltAxis()], angle_deg: tiltDeg() },
  fixed: heldFixed(),
  only: only(),
  loads: [...factors()].filter(([, factor]) => factor !== 0).map(([name, factor]) => ({ case: name, factor })),
  }),
  // The same question again is no new question.
  (a, b) => JSON.stringify(a) === JSON.stringify(b),
);

export const check = signal<CheckResult | null>(null);
export const checking = signal(false);
/** What is asked now, as text: a verdict about anything else is one from before. */
export const askedNow = derived(() => JSON.stringify([model()?.revision, method(), situation()]));
/** Whether the verdict on screen is about what is asked now. */
export const isCurrent = () => check()?.about === askedNow();
/** What coupled analysis says of a verdict that allows self-stress, where it was asked, and what follows from both. */
export const opinion = signal<{ verdict: CheckAnswer["verdict"] | "asking"; conclusion?: string; headline?: string; about?: string } | null>(null);
/** What is known from both: the verdict that the command line, which asks both, gives. */
export const verdictNow = (): { verdict: CheckAnswer["verdict"]; headline: string; by: string; self_stress: CheckAnswer["self_stress"] } | null => {
  const answer = check()?.answer;
  const second = opinion();
  if (!answer) return null;
  if (!second || second.verdict === "asking") return { verdict: answer.verdict, headline: answer.headline, by: answer.method, self_stress: answer.self_stress };
  return { verdict: second.verdict, headline: second.headline ?? "", by: `${answer.method} and cra`, self_stress: "excluded" };
};
/** Why the last check gave no verdict: the server's words. */
export const checkError = signal<string | null>(null);
/** Safety margins that were found, newest first. */
export const margins = signal<readonly Margin[]>([]);
/** The one whose mechanism is on screen. */
export const shownMargin = signal<Margin | null>(null);
export const thrust = signal<ThrustAnswer | null>(null);

export const run = signal<Run | null>(null);
/** Runs that have ended, oldest first. */
export const pastRuns = signal<readonly PastRun[]>([]);
/** Counts up when frames arrive: the list itself grows in place. */
export const framesSeen = signal(0);
export const showRun = signal(false);
/** Seconds into the run. */
export const playhead = signal(0);
export const playing = signal(false);
export const speed = signal(1);
export const loop = signal(false);

/** What a slow loading is to do; the server's own until it is changed. */
export const stages = signal<readonly Stage[]>([]);
export const path = signal<SlowPath | null>(null);
/** How many of its equilibria panels and scene know: the list itself grows in place. */
export const pointsSeen = signal(0);
/** Where on the path: 0 before any load, then one for each equilibrium, then the motion that follows the last. */
export const pathAt = signal(0);
export const pathPlays = signal(false);
/** How many times displacements along the path are drawn. */
export const magnify = signal(1);
/** Openings and slips from which joints are marked, in metres; null: as the server counts them. */
export const crackFrom = signal<number | null>(null);

/** The study that is looked at, as it is now. */
export const study = signal<Study | null>(null);
/** Why it is no longer looked at. */
export const studyError = signal<string | null>(null);
export const chosenRun = signal<ChosenRun | null>(null);
/** The runs of a point of a chart that has several: they alone are listed. */
export const runsOfPoint = signal<{ says: string; runs: ReadonlySet<string> } | null>(null);

/** How things are drawn. */
export const view = {
  edges: signal(true),
  joints: signal(false),
  opacity: signal(1),
  explode: signal(0),
  ortho: signal(false),
  section: signal<Axis | null>(null),
  sectionAt: signal(0.5),
  sectionFlip: signal(false),
  /** Draws a run as someone on the ground sees it. */
  followGround: signal(false),
};

export const show = {
  forces: signal(false),
  tension: signal(true),
  resultants: signal(false),
  use: signal(false),
  mechanism: signal(true),
  loads: signal(true),
  forceScale: signal(1),
  mechanismAmplitude: signal(1),
  mechanismPlays: signal(true),
  lineComputed: signal(true),
  lineBounds: signal(true),
  stress: signal(true),
  flow: signal(false),
  flowScale: signal(1),
  cracks: signal(true),
  stressOnPath: signal(true),
};

export type GizmoMode = "none" | "move" | "rotate" | "plane";
export const gizmo = signal<GizmoMode>("none");
/** Whether the handle of the cutting plane turns it or moves it. */
export const planeTurns = signal(false);
export const cutPlane = signal<{ point: Vec3; normal: Vec3 }>({ point: [0, 0, 0], normal: [0, 0, 1] });

export type Theme = "light" | "dark";
export const theme = signal<Theme>("light");

export const selectedNames = (): string[] => {
  const blocks = model()?.blocks ?? [];
  return [...selection()].sort((a, b) => a - b).flatMap((index) => blocks[index]?.name ?? []);
};

/** What came of the run on screen, in a word or two; null while it goes on, and for runs of the folder, which do not say. */
export const outcomeOf = (run: Pick<Run, "end" | "state">): string | null => {
  const { end } = run;
  if (!end) return null;
  if (end.collapsed) return end.collapse === "partial" ? "Collapses partially" : "Collapses";
  if (end.at_rest) return "Comes to rest";
  return end.ended === "stopped" ? "Stopped" : "Still moving";
};

// Functions and not derived: what reads them while a model is replaced must not see what was before.
/** True while blocks are drawn where a slow loading has them. */
export const onPath = () => tab() === "slow" && path() !== null;

/** True while what a check found is drawn: blocks that move, and how. */
export const showsVerdict = (): boolean => {
  const { shown, details } = (tab() === "study" && chosenRun()) || { shown: false, details: null };
  return tab() === "check" || (shown && details !== null && details.asks !== "simulate");
};

/** The end of the path: its last equilibrium, or the motion that follows it. */
export const pathLast = () => pointsSeen() + (path()?.motion ? 1 : 0);

/** The equilibrium on screen; null before any load, and where none is shown. */
export const equilibrium = (): Equilibrium | null => (onPath() ? (path()!.points[Math.min(pathAt(), pointsSeen()) - 1] ?? null) : null);

/** The motion that follows the last equilibrium, where that is what is on screen. */
export const fallsOnPath = derived<Float32Array | null>(() => (onPath() && pathAt() > pointsSeen() ? (path()?.motion ?? null) : null));

/** True while blocks are drawn where a run has them. */
export const onRun = () => showRun() && run() !== null && !onPath();

/** True while the model on screen stands still: forces and joints lie where they were computed. */
export const atRest = derived(() => !onRun() && !onPath());
