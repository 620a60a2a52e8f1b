import { ServiceError } from '#packages/errors/service-error.ts'
import type { Asker } from '#packages/lookups/asker.ts'

/** When a video was published, milliseconds since 1970; null where that is not told now. @throws ServiceError */
export type DateOf = (url: string, asker: Asker) => Promise<number | null>

/** It was not read at all: jobs go first, or too much is read at once. */
export const isTurnedAway = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'unavailable'

/** The same; null also where the video cannot be read now. @throws ServiceError unavailable: it was turned away */
export async function knownDate(dateOf: DateOf, url: string, asker: Asker): Promise<number | null> {
  try {
    return await dateOf(url, asker)
  } catch (error) {
    if (isTurnedAway(error) || !(error instanceof ServiceError)) throw error
    return null
  }
}
