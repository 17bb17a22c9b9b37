/** Frames of a run by their time. */

/** Index of the last frame at or before `time`, by halving; 0 where there is none. */
export function frameAt(frames: readonly { time_s: number }[], time: number): number {
  let low = 0;
  let high = frames.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frames[middle]!.time_s <= time) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}
