import { latestOf } from '../published.ts'
import type { KnownWatch, NewVideo } from './state.ts'
import type { LookResult } from './watch.ts'

/** How many videos of one look to look up a date for, if the list does not give it. */
export const MOST_DATES = 20

/** If the first look comes this long after creation, videos published meanwhile count as new, milliseconds. */
const LATE_AFTER_MS = 10 * 60_000

type Question = { items: readonly NewVideo[]; isPlaylist: boolean; now: number }

/** The videos of a look that need a date to decide whether they are new. They are looked up in this order. */
export function undatedIn(watch: KnownWatch, { items, isPlaylist, now }: Question): NewVideo[] {
  if (isPlaylist || (!watch.isBased && now < watch.createdAt + LATE_AFTER_MS)) return []
  return items.filter(({ id, publishedAt }) => publishedAt === null && !watch.seen.has(id)).slice(0, MOST_DATES)
}

/**
 * The new videos of a source: never seen, and published after the watch was created. A list that is read to its end,
 * such as a playlist, shows what was added. If a date is not known yet, a later look decides.
 * @param dates those that were looked up; null: unknown
 */
export function newsIn(watch: KnownWatch, question: Question, dates: ReadonlyMap<string, number | null>): LookResult {
  const { items, isPlaylist } = question
  const found: NewVideo[] = []
  const seen: string[] = []
  let backfill = watch.isBased ? 0 : watch.backfill
  for (const item of items) {
    if (watch.seen.has(item.id)) continue
    const asked = dates.get(item.id)
    const publishedAt = item.publishedAt ?? asked ?? null
    const video = { ...item, publishedAt: isPlaylist ? null : publishedAt }
    if (backfill > 0) {
      backfill -= 1
      found.push(video)
    } else if (isPlaylist ? watch.isBased : publishedAt !== null && latestOf(publishedAt) > watch.createdAt) {
      found.push(video)
    } else if (publishedAt !== null || isPlaylist || (!watch.isBased && asked === undefined)) {
      seen.push(item.id)
    }
  }
  // Lists of channels, profiles and searches begin with the newest video.
  return { found: isPlaylist ? found : found.reverse(), seen, failure: null }
}
