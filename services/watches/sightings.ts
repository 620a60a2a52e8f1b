import type { NewVideo } from '#packages/domain/watch/state.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'
import { isTurnedAway } from '#packages/platforms/sources/date-of.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** The most pages of a playlist that are read: new videos may be at its end. */
const MAX_PAGES = 10

/** How long looks at one source share a read, milliseconds: less than the shortest period. */
const SHARED_FOR_MS = 5 * 60_000

type Sighting = { until: number; items: Promise<NewVideo[]> }

/**
 * The current videos of sources. Watches of equal sources share a read across organizations, because all of it is
 * public.
 */
export class Sightings {
  readonly #clock: Clock
  readonly #readSource: ReadSource
  readonly #bySource = new Map<string, Sighting>()

  constructor(clock: Clock, readSource: ReadSource) {
    this.#clock = clock
    this.#readSource = readSource
  }

  /**
   * The first page, or the whole of a playlist.
   * @throws ServiceError as the lookups do; not_found also if it is too long
   */
  see(source: Source, asker: Asker): Promise<NewVideo[]> {
    const now = this.#clock.now()
    for (const [key, { until }] of this.#bySource) if (until <= now) this.#bySource.delete(key)
    const key = JSON.stringify(source)
    const known = this.#bySource.get(key)
    if (known !== undefined) return known.items
    const items = this.#read(source, asker)
    this.#bySource.set(key, { until: now + SHARED_FOR_MS, items })
    // If the read failed only because it was not our turn, the next look reads again.
    items.catch((error: unknown) => {
      if (isTurnedAway(error)) this.#bySource.delete(key)
    })
    return items
  }

  async #read(source: Source, asker: Asker): Promise<NewVideo[]> {
    const found: NewVideo[] = []
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const { items, next } = await this.#readSource(source, cursor, asker)
      found.push(...items)
      if (next === null || source.type !== 'playlist') return found
      cursor = next
    }
    throw new TooLongError()
  }
}

/** A playlist that is too long to be read to its end. */
export class TooLongError extends Error {
  readonly code = 'too_long'
}
