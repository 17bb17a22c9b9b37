/** What the server says, as docs/viewer-protocol.md describes it. */

export type Vec3 = [number, number, number];
export type Method = "cone" | "rbe" | "cra" | "cra-penalty";
export type Verdict = "stable" | "unstable" | "undecided";

/** What another parameter must be for a parameter to have an effect. */
export interface Need {
  parameter: string;
  one_of?: string[];
  above?: number;
  not?: number;
}

export interface Parameter {
  name: string;
  label?: string;
  help: string;
  unit: string;
  default: string;
  kind: "number" | "integer" | "choice" | "text";
  least?: number | null;
  most?: number | null;
  step?: number | null;
  choices?: string[] | null;
  needs?: Need[];
}

export interface Recipe {
  name: string;
  summary: string;
  notes: string;
  parameters: Parameter[];
}

export interface FolderFile {
  path: string;
  kind: "model" | "import" | "run" | "study";
}

export interface Hello {
  version: string;
  recipes: Recipe[];
  folder: string | null;
  files: FolderFile[];
  opened: string | null;
  limits: { upload_bytes: number; blocks: number; steps: number };
  /** Stages of a slow loading that nobody has chosen, and steps of a stage that names none. */
  slow_loading: { stages: Stage[]; steps: number };
  threads: number;
  /** What is taken where nobody says: the same as on the command line. */
  defaults: { integrator: Stepping; dt_s: number; after_collapse_s: number };
}

export interface Block {
  name: string;
  fixed: boolean;
  mass_kg: number;
  volume_m3: number;
  center: Vec3;
  size: Vec3;
  group: string | null;
  material: string | null;
  faces: number;
}

/** One force of a load case, in the world, at its full size. */
export interface LoadForce {
  case: string;
  block: string;
  at: Vec3;
  force_n: Vec3;
}

export interface TieEnd {
  block: string;
  at: Vec3;
}

/** What a tie does, as model files have it. */
export type TieKind =
  | "rigid_rod"
  | { tension_spring: { stiffness: number; rest_length: number } }
  | { spring: { stiffness_n_m: number; rest_length_m?: number } }
  | { tie: TieRod };

export interface TieRod {
  stiffness_n_m?: number;
  area_m2?: number;
  modulus_pa?: number;
  prestress_n?: number;
  yield_n?: number;
  rupture_elongation_m?: number;
}

export interface Tie {
  name: string;
  from: TieEnd;
  to: TieEnd;
  kind: TieKind;
}

export interface Model {
  name: string;
  description: string | null;
  revision: number;
  blocks: Block[];
  friction: number | null;
  /** The least and the largest friction of its joints. */
  friction_range: [number, number];
  /** The laws of the joints in words. */
  joint_laws: string;
  gravity: Vec3;
  density: number | null;
  /** Which faces count as joined; null where those that touch do. */
  joint_search?: { distance: number; angle_deg: number; precision?: number } | null;
  loads: string[];
  /** Forces of load cases, and accelerations of theirs as a force at the centre of each block. */
  load_forces?: LoadForce[];
  ties?: Tie[];
  motions: string[];
  bounds: { least: Vec3; most: Vec3 };
  problems: string[];
  /** Folder that the model's file is in, from the opened one on: its records are looked for there. */
  beside?: string;
  joints: number;
  contacts: number;
  automatic_steps?: AutomaticSteps;
  undo: number;
  redo: number;
  /** The recipe it was built from, and how many changes have been made since. */
  recipe: { name: string; values: Record<string, string>; edits: number } | null;
  run?: RunInfo | null;
  /** The study that it comes from, and which of its structures it is. */
  study?: { path: string; structure: string } | null;
}

export interface RunInfo {
  /** The folder, from the opened one on. */
  path: string;
  frames: number;
  duration_s: number;
}

/** What files of other programs do not say. */
export interface Given {
  /** Metres in a unit of its coordinates. */
  unit_m: number;
  up: "x" | "y" | "z";
  supports: "as_read" | "lowest" | "none";
  joint_distance_m: number | null;
}

/** How many there are of something, and the first of them. */
export interface ImportedPairs {
  count: number;
  named: { blocks: string[]; by_m: number | null; says: string }[];
}

/** What a file comes to under what was given. */
export interface Imported {
  /** Whether its format leaves anything open. */
  asks: boolean;
  name: string;
  blocks: number;
  fixed_as_read: number;
  warnings: string[];
  /** Why it cannot be opened so; then the rest is missing. */
  refused?: string;
  fixed?: number;
  mass_kg?: number;
  size_m?: Vec3;
  joints?: number;
  contacts?: number;
  joint_distance_m?: number | null;
  joints_stored?: boolean;
  gaps?: ImportedPairs;
  overlaps?: ImportedPairs;
  loose?: ImportedPairs;
  problems?: string[];
}

export interface Geometry {
  positions: Float32Array;
  block: Uint32Array;
  normals: Float32Array;
  triangles: Uint32Array;
  edges: Uint32Array;
  face: Uint32Array;
  /** Which vertex of its block a corner is; absent from servers that do not tell. */
  vertex: Uint32Array;
  joint_corners: Float32Array;
  joint_start: Uint32Array;
  joint_blocks: Uint32Array;
  joint_normals: Float32Array;
}

export interface Situation {
  friction: number | null;
  /** On the friction of every joint. */
  friction_factor: number | null;
  density: number | null;
  tilt: { axis: Vec3; angle_deg: number } | null;
  fixed: string[] | null;
  only: string[] | null;
  loads: { case: string; factor: number }[];
}

export interface CheckAnswer {
  verdict: Verdict;
  method: Method;
  /** What is known from all methods asked of this situation, in one or two sentences. */
  conclusion: string;
  /** The same in two or three words. */
  headline: string;
  /** Whether independent code has accepted the certificate of the verdict. */
  proven: boolean;
  reason: string;
  /** How it was found and what was measured. */
  details: string[];
  /** Forces in ties, positive where they pull. */
  ties?: { tie: string; force_n: number; yield_n: number | null; yields: boolean }[];
  /** What is wrong with the shapes, in a few lines. */
  geometry: string[];
  self_stress: "allowed" | "excluded";
  residual: number | null;
  unstable_blocks: number[];
  tension_n: number | null;
  max_force_n: number | null;
  growth: number | null;
  time_ms: number;
  revision: number;
}

export interface CheckArrays {
  points: Float32Array;
  forces: Float32Array;
  tension: Float32Array;
  point_joint: Uint32Array;
  use: Float32Array;
  resultant_at: Float32Array;
  resultant: Float32Array;
  state: Uint8Array;
  motion: Float32Array;
  pressure: Float32Array;
  /** Coefficient by joint; below zero between supports, where nothing is asked. */
  friction: Float32Array;
}

/** The motion of blocks that move: number, velocity, angular velocity. */
export type Moving = [number, Vec3, Vec3][];

export interface TiltAnswer {
  mechanism: Moving;
  method: Method;
  time_ms: number;
  conclusion: string;
  critical_tilt_deg: number | null;
  lower_deg: number | null;
  upper_deg: number | null;
  stands_again: boolean;
}

export interface LimitAnswer {
  mechanism: Moving;
  time_ms: number;
  conclusion: string;
  multiplier: number | null;
  bounds: [number | null, number | null];
  unbounded: boolean;
  needed: number | null;
  residual: number | null;
  note: string | null;
}

export interface SensitivityAnswer {
  mechanism: Moving;
  least_friction: number | null;
  friction_factor: number | null;
  /** Whether it was found to fall with any less; otherwise the friction is an upper bound of what it needs. */
  is_exact: boolean;
}

export interface ThrustLine {
  name: string;
  kind: "computed" | "minimum" | "maximum";
  points: Vec3[];
  /** Whether it runs from support to support. */
  arch: boolean;
  thrust_n: number;
}

export interface ThrustAnswer {
  verdict: Verdict;
  lines: ThrustLine[];
  stress: {
    joint: number;
    least_pa: number;
    most_pa: number;
    centre: Vec3;
    in_kernel: boolean;
    corners: [number, number, number, number][];
  }[];
  flow: { height_m: number; vertical_n: number; at: Vec3; forces: { at: Vec3; force: Vec3 }[] }[];
}

export interface CertificateAnswer {
  certificate: unknown;
  valid: boolean;
  claims: unknown[];
}

export type MotionKind = "none" | "sine" | "impulse" | "record" | "model";

export interface MotionAsked {
  kind: MotionKind;
  direction?: Vec3;
  amplitude_g?: number;
  frequency_hz?: number;
  duration_s?: number;
  components?: RecordFile[];
  name?: string;
  scale?: number;
}

/** A component of a recorded motion; without a direction it is as its file says. */
export interface RecordFile {
  file: { name: string; base64: string };
  direction?: Vec3;
}

export interface RecordComponent {
  file: string;
  title: string;
  name: string;
  quantity: string;
  direction: Vec3;
  points: number;
  dt_s: number;
  duration_s: number;
  pga_g: number | null;
  pgv_m_s: number;
  pgd_m: number;
  significant_duration_s: number | null;
  /** In g where it is an acceleration, else in SI units; only as many points as a plot shows. */
  times_s: number[];
  values: number[];
  spectrum_g: number[];
}

/** What a record holds. */
export interface RecordAnswer {
  components: RecordComponent[];
  periods_s: number[];
  damping: number;
  duration_s: number;
}

export type FrictionLaw = "associated" | "coulomb";

/** How steps are taken. */
export type Integrator = "implicit" | "explicit";
/** How they are to be taken. */
export type Stepping = "automatic" | Integrator;

export interface SteppingChoice {
  integrator: Integrator;
  /** Why, in a sentence. */
  reason: string;
}

/** What is chosen where nobody chooses: by the friction law, or where a stiffness is given. */
export type AutomaticSteps = Record<FrictionLaw | "stiffness", SteppingChoice>;

export interface SimulateStarted extends SteppingChoice {
  steps: number;
  frames: number;
  /** Length of an explicit step at the start. */
  short_step_s: number | null;
  warnings: string[];
}

export interface FrameHeader {
  frame: number;
  time_s: number;
  kinetic_j: number;
  potential_j: number;
  dissipated_j: number;
  balance: number;
  residual: number;
  step_ms: number;
  /** Length of a step, a short one where steps are explicit, and how many are taken in a second; 0 where that is not known. */
  step_s: number;
  steps_per_s: number;
}

export interface Frame extends FrameHeader {
  /** Seven numbers a block: position of its centre, quaternion x y z w. */
  poses: Float32Array;
  ground: Float32Array;
}

export interface SimulateEnd {
  ended: "finished" | "stopped" | "limit";
  collapsed: boolean;
  collapse: "none" | "partial" | "global";
  collapse_time_s: number | null;
  /** It was not simulated to its end, because it had collapsed. */
  stopped_after_collapse: boolean;
  at_rest: boolean;
  /** Of any block's centre against the ground, at any time of the run; which block, and when. */
  max_displacement_m: number;
  max_displacement_block: string | null;
  max_displacement_time_s: number;
  max_speed_m_s: number;
  /** What remains at the end. */
  residual_drift_m: number;
  final_speed_m_s: number;
  energy_balance_error: number;
}

/** A stage of slow loading, as files of `drystone settle` have it. What a stage leaves out stays as it was. */
export interface Stage {
  name?: string;
  steps?: number;
  gravity?: number;
  loads?: Record<string, number>;
  control?: { block: string; at?: Vec3; direction: Vec3; to_m: number };
  move?: { blocks: string[]; by?: Vec3; turn_deg?: Vec3; about?: Vec3 }[];
  tilt?: { axis: Vec3; angle_deg: number };
  shrinkage_m?: number;
  build?: string[];
  remove?: string[];
}

/** One equilibrium of slow loading. */
export interface EquilibriumHeader {
  /** Which stage, from zero, and how much of it is done, from 0 to 1. */
  stage: number;
  done: number;
  gravity: number;
  loads: Record<string, number>;
  /** An axis as long as the angle. */
  tilt_deg: Vec3;
  max_displacement_m: number;
  along_loads_m: number;
  open_joints: number;
  slipped_joints: number;
  max_opening_m: number;
  max_slip_m: number;
  bonds: number;
  broken_bonds: number;
  /** Where blocks deform: the largest of any node, and where a scale of stresses ends. */
  max_von_mises_pa?: number;
  max_tension_pa?: number;
  max_deformation_m?: number;
  stress_scale_pa?: number;
}

/** Surfaces of blocks that deform, as they are at first; blocks share no nodes. */
export interface Skin {
  /** Three numbers a node. */
  start: Float32Array;
  /** The block of each node. */
  block: Uint32Array;
  triangles: Uint32Array;
  /** Ends of pieces of edges of blocks. */
  edges: Uint32Array;
}

export interface Equilibrium extends EquilibriumHeader {
  /** Six numbers a block: displacement of its centre, rotation as an axis as long as the angle. */
  moved: Float32Array;
  /** By joint, in metres. */
  opening: Float32Array;
  slip: Float32Array;
  /** One a block where some are not there, else empty. */
  absent: Uint8Array;
  /** Displacement of each node of the skin, three numbers each, and von Mises' stress there; empty where all blocks are rigid. */
  skin_moved: Float32Array;
  skin_stress: Float32Array;
}

export interface SettleEnd {
  end: "completed" | "no_equilibrium" | "stopped" | "limit";
  conclusion: string;
  /** Stage, the last part of it with an equilibrium, and the next without. */
  ends_in?: [string, [number, number]] | null;
  /** Whether it is proven that no forces balance the loads there; otherwise no equilibrium was found. */
  no_forces?: boolean | null;
  moving_blocks?: string[];
  ties?: { name: string; force_n: number; state: string }[];
  hard_joints?: boolean;
}

/** How points of a chart are drawn. */
export type Mark = "line" | "dashed" | "reference" | "faint" | "points" | "filled_left" | "filled_right" | "hollow_left" | "hollow_right";

export interface ChartSeries {
  /** Empty: not in the legend. */
  name: string;
  mark: Mark;
  points: [number | null, number | null][];
  /** Runs behind each point, between spaces; empty where there is none. */
  runs: string[];
}

export interface Chart {
  name: string;
  title: string;
  /** What is along each axis, with its unit. */
  x: string;
  y: string;
  log_x: boolean;
  y_range: [number, number] | null;
  series: ChartSeries[];
}

/** A run of a study, as it is listed. */
export interface StudyRow {
  run: string;
  label: string;
  /** What came of it, in a few words. */
  says: string;
  /** Whether the structure came down; null where that was not asked, or not decided. */
  falls: boolean | null;
  failed: boolean;
  wall_s: number;
}

/** A study as it is now. */
export interface Study {
  path: string;
  title: string;
  kind: string;
  /** Runs that are planned so far, and those of them that have ended or failed. */
  runs: number;
  done: number;
  failed: number;
  complete: boolean;
  conclusions: string[];
  notes: string[];
  charts: Chart[];
  listed: StudyRow[];
}

/** One run of a study. */
export interface StudyRun {
  run: string;
  label: string;
  says: string;
  asks: "simulate" | "check" | "limit" | "tilt";
  method: string | null;
  /** Load cases that act. */
  loads: string[];
  parameters: Record<string, unknown>;
  result: Record<string, unknown>;
  failed: boolean;
  residual: number | null;
  wall_s: number;
  version: string;
  /** Tells its structure from those of other runs. */
  structure: string;
}

export type Edit =
  | { do: "move"; blocks: string[]; by: Vec3 }
  | { do: "rotate"; blocks: string[]; about: Vec3; axis: Vec3; angle_deg: number }
  | { do: "delete"; blocks: string[] }
  | { do: "duplicate"; blocks: string[]; by: Vec3 }
  | { do: "fix"; blocks: string[]; fixed: boolean }
  | { do: "friction"; value: number; between: [string, string] | null }
  | { do: "joints"; distance: number | null; angle_deg: number | null }
  | { do: "density"; value: number; blocks: string[] | null }
  | { do: "load"; case: string; block: string; at: Vec3; force: Vec3 }
  | { do: "unload"; case: string }
  | ({ do: "tie" } & Tie)
  | { do: "untie"; name: string }
  | { do: "cut" | "trim"; block: string; point: Vec3; normal: Vec3 }
  | { do: "vertex"; block: string; vertex: number; by: Vec3 }
  | { do: "face"; block: string; face: number; by: number }
  | { do: "rename"; block: string; name: string };
