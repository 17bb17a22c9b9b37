/** Runs that are kept beside the one on screen, to be laid over it and compared. */

import type { Run } from "./state";

export interface PastRun {
  run: Run;
  /** Number of the run, as people count. */
  number: number;
  /** Names of its blocks: the structure may have become another one since. */
  blocks: readonly string[];
  /** Which structure it is of. */
  revision: number;
  overlaid: boolean;
}

/** Runs that are kept, and bytes of their frames together. */
const MOST_RUNS = 6;
const MOST_BYTES = 256 * 2 ** 20;

const bytesOf = ({ run }: PastRun) => run.frames.reduce((sum, frame) => sum + frame.poses.byteLength, 0);

/** Adds a run; the oldest make way. */
export function withRun(runs: readonly PastRun[], added: PastRun): readonly PastRun[] {
  const kept = [...runs.filter(({ run }) => run.id !== added.run.id), added].slice(-MOST_RUNS);
  let bytes = kept.reduce((sum, each) => sum + bytesOf(each), 0);
  while (kept.length > 1 && bytes > MOST_BYTES) bytes -= bytesOf(kept.shift()!);
  return kept;
}
