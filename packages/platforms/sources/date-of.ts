import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'

/** Finds out when a video was published, milliseconds since 1970. Null if that is unknown now. @throws ServiceError */
export type DateOf = (url: string, asker: Asker) => Promise<number | null>

/** Whether the read was refused before it started, because jobs go first or too many reads are under way. */
export const isTurnedAway = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'unavailable'

/**
 * Finds out when a video was published. Null also if the video cannot be read now.
 * @throws ServiceError unavailable if the read did not start
 */
export async function knownDate(dateOf: DateOf, url: string, asker: Asker): Promise<number | null> {
  try {
    return await dateOf(url, asker)
  } catch (error) {
    if (isTurnedAway(error) || !(error instanceof ServiceError)) throw error
    return null
  }
}
