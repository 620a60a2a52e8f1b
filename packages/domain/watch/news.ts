import { latestOf } from '../published.ts'
import type { KnownWatch, NewVideo } from './state.ts'
import type { LookResult } from './watch.ts'

/** Videos of one look whose dates are asked for, where the list does not tell them. */
export const MOST_DATES = 20

/** The first look may come so late that what was published meanwhile is new, milliseconds. */
const LATE_AFTER_MS = 10 * 60_000

type Question = { items: readonly NewVideo[]; isPlaylist: boolean; now: number }

/** The videos of a look whose dates decide whether they are new. They are asked for in this order. */
export function undatedIn(watch: KnownWatch, { items, isPlaylist, now }: Question): NewVideo[] {
  if (isPlaylist || (!watch.isBased && now < watch.createdAt + LATE_AFTER_MS)) return []
  return items.filter(({ id, publishedAt }) => publishedAt === null && !watch.seen.has(id)).slice(0, MOST_DATES)
}

/**
 * What of a source is new: an id that was never seen, and that was published after the watch was made. A list that is read
 * to its end, as a playlist, tells what was added. One whose date is not known yet is decided by a later look.
 * @param dates those that were asked for; null: it is not known
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
  // Lists of channels, profiles and searches have the newest first.
  return { found: isPlaylist ? found : found.reverse(), seen, failure: null }
}
