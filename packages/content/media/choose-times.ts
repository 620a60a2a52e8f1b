/** A cut: its time in seconds, and how much the picture changes there, from 0 to 1. */
export type Cut = { seconds: number; change: number }

/** The grid's share of all pictures. */
const GRID_SHARE = 0.5
/** Two pictures of the grid are no closer than this, seconds. */
const MIN_GRID_STEP = 2
/** A picture is taken this long after a cut, seconds: earlier a fade could still show the previous scene. */
const AFTER_CUT = 0.2

/**
 * The times for pictures of a video, seconds, in order, at most `max`: an even grid from end to end, then the
 * strongest cuts that are not close to another time. Cuts alone would show little of a film of one scene; a grid
 * alone would miss what is shown only briefly.
 */
export function chooseTimes(seconds: number, cuts: readonly Cut[], max: number): number[] {
  const size = Math.max(1, Math.min(Math.floor(max * GRID_SHARE), Math.round(seconds / MIN_GRID_STEP)))
  const step = seconds / size
  const times = Array.from({ length: size }, (_, index) => (index + 0.5) * step)
  const close = Math.min(1, step / 4)
  for (const cut of cuts.toSorted((a, b) => b.change - a.change)) {
    if (times.length >= max) break
    const at = Math.min(cut.seconds + AFTER_CUT, seconds)
    if (times.every((time) => Math.abs(time - at) >= close)) times.push(at)
  }
  return times.sort((a, b) => a - b)
}
