import { newsIn, undatedIn } from '#packages/domain/watch/news.ts'
import { EMPTY, type KnownWatch } from '#packages/domain/watch/state.ts'
import type { LookResult } from '#packages/domain/watch/watch.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'
import { type DateOf, isTurnedAway, knownDate } from '#packages/platforms/sources/date-of.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type Sightings, TooLongError } from './sightings.ts'

type Parts = { clock: Clock; sightings: Sightings; dateOf: DateOf }

/**
 * Looks at the source of a watch. An empty or refused look changes nothing.
 * @throws ServiceError unavailable: no free turn
 */
export async function look({ clock, sightings, dateOf }: Parts, watch: KnownWatch, asker: Asker): Promise<LookResult> {
  const source = watch.source as Source
  try {
    const items = await sightings.see(source, asker)
    if (items.length === 0) return failed(EMPTY)
    const question = { items, isPlaylist: source.type === 'playlist', now: clock.now() }
    const dates = new Map<string, number | null>()
    // If the date of a video cannot be read now, a later look decides whether it is new.
    for (const { id, url } of undatedIn(watch, question)) dates.set(id, await knownDate(dateOf, url, asker))
    return newsIn(watch, question, dates)
  } catch (error) {
    return failed(codeOf(error))
  }
}

const failed = (failure: string): LookResult => ({ found: [], seen: [], failure })

function codeOf(error: unknown): string {
  if (error instanceof TooLongError) return error.code
  if (isTurnedAway(error) || !(error instanceof ServiceError)) throw error
  return error.code
}
