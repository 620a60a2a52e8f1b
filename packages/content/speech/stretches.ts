import type { Stretch } from './engine.ts'

export const lengthOf = ({ start, end }: Stretch): number => end - start

/** Whether a stretch comes within `toleranceSeconds` of one of the others. */
export const touches = (stretch: Stretch, others: readonly Stretch[], toleranceSeconds: number): boolean =>
  others.some((o) => stretch.start < o.end + toleranceSeconds && stretch.end > o.start - toleranceSeconds)

/** Joins neighbours that are at most `maxGapSeconds` apart, as long as the whole stays within `maxSeconds`. */
export function joinNeighbours(
  stretches: readonly Stretch[],
  { maxSeconds, maxGapSeconds }: { maxSeconds: number; maxGapSeconds: number },
): Stretch[] {
  const joined: Stretch[] = []
  for (const { start, end } of stretches) {
    const last = joined.at(-1)
    if (last && start - last.end <= maxGapSeconds && end - last.start <= maxSeconds) last.end = end
    else joined.push({ start, end })
  }
  return joined
}

/**
 * Cuts audio of `seconds` into pieces of at most `maxSeconds`. Each cut is in the middle of the longest pause in the
 * last quarter of its piece. Without a pause, it is where one region ends and the next begins, else at the limit.
 * @param openingSeconds the longest of the pieces up to and including the first with speech
 */
export function cutAtPauses(
  seconds: number,
  regions: readonly Stretch[],
  maxSeconds: number,
  openingSeconds = maxSeconds,
): Stretch[] {
  const pieces: Stretch[] = []
  const firstSpoken = regions[0]?.start ?? 0
  let start = 0
  while (start < seconds) {
    const most = start <= firstSpoken ? Math.min(openingSeconds, maxSeconds) : maxSeconds
    const end = seconds - start > most ? cutPoint(regions, { start: start + most * 0.75, end: start + most }) : seconds
    pieces.push({ start, end })
    start = end
  }
  return pieces
}

/**
 * Cuts a stretch into pieces of about the same length, each in the middle of the longest pause near its place.
 * @param count how many pieces
 * @param slackSeconds how far from its place a cut may lie, provided that the next place is not nearer
 */
export function cutEvenly(
  stretch: Stretch,
  regions: readonly Stretch[],
  count: number,
  slackSeconds: number,
): Stretch[] {
  const length = lengthOf(stretch) / count
  const slack = Math.min(slackSeconds, length / 3)
  const cuts = Array.from({ length: count - 1 }, (_, i) => {
    const place = stretch.start + (i + 1) * length
    return cutPoint(regions, { start: place - slack, end: place + slack })
  })
  return [stretch.start, ...cuts].map((start, i) => ({ start, end: cuts[i] ?? stretch.end }))
}

function cutPoint(regions: readonly Stretch[], window: Stretch): number {
  let best: Stretch | undefined
  for (const pause of pauses(regions)) {
    const inside = { start: Math.max(pause.start, window.start), end: Math.min(pause.end, window.end) }
    if (lengthOf(inside) >= 0 && (!best || lengthOf(inside) >= lengthOf(best))) best = inside
  }
  return best ? (best.start + best.end) / 2 : window.end
}

function* pauses(regions: readonly Stretch[]): Generator<Stretch> {
  let end = 0
  for (const region of regions) {
    yield { start: end, end: region.start }
    end = region.end
  }
  yield { start: end, end: Number.POSITIVE_INFINITY }
}
