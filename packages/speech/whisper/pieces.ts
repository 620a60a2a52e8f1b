import type { Stretch } from '../engine.ts'
import { cutEvenly, joinNeighbours, lengthOf } from '../stretches.ts'

/** Longer stretches in which nobody speaks are left out. Shorter ones stay: text across a pause is one text. */
const MAX_PAUSE_SECONDS = 10
/** What is heard before and after voice activity, which begins late and ends early. */
const MARGIN_SECONDS = 1
/** Whisper hears in windows of so much: shorter pieces cost as much. */
const MIN_SECONDS = 30
/**
 * Where one cuts scatters the errors, and long pieces make the fewest of those that are no windows of Whisper's own: of 8
 * minutes of French prompts, other words than where each is heard alone: in pieces of 30 s 8.3 %, 60 s 11.6 %, 120 s
 * 12.2 %, 300 s 9.2 %; of 8 minutes of English readings 4.3, 4.0, 3.5 and 1.8 %. A longer one would make others wait.
 */
const MAX_SECONDS = 300
const SLACK_SECONDS = 15
/** Shorter sounds are no words, and Whisper makes some up. */
const SHORTEST_SECONDS = 0.5

/**
 * What the workers hear, in order: pieces that never overlap, cut in pauses, as long as the number of workers allows.
 * @param regions where somebody may be speaking
 */
export function piecesOf(seconds: number, regions: readonly Stretch[], workers: number): Stretch[] {
  const joined = joinNeighbours(regions, { maxSeconds: Number.POSITIVE_INFINITY, maxGapSeconds: MAX_PAUSE_SECONDS })
  const spoken = joined.map(({ start, end }) => ({
    start: Math.max(0, start - MARGIN_SECONDS),
    end: Math.min(seconds, end + MARGIN_SECONDS),
  }))
  const all = spoken.reduce((sum, stretch) => sum + lengthOf(stretch), 0)
  const most = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, all / workers))
  return spoken
    .flatMap((stretch) => cutEvenly(stretch, regions, Math.ceil(lengthOf(stretch) / (most * 1.1)), SLACK_SECONDS))
    .filter((piece) => lengthOf(piece) >= SHORTEST_SECONDS)
}
