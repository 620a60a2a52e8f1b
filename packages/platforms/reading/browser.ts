import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { SocialPlatform } from '../registry.ts'
import type { PageAnswer, PageWish, Reader } from '../ytdlp/reader.ts'
import type { Reading } from './reading.ts'
import { routeOf } from './route-of.ts'
import { failureOfStatus, type Site, type SiteAnswer, withheld } from './site.ts'

/** What to ask of a platform's own hosts. */
export type BrowserQuestion = Pick<PageWish, 'url' | 'method' | 'headers' | 'body' | 'holds' | 'follow' | 'maxBytes'>

/** Asks as a browser does: every request that claims to be one goes through the reader's workers. */
export type Browse = (question: BrowserQuestion, reading: Reading) => Promise<PageAnswer>

/** A platform's pages and interfaces, asked through the egress route of the reading. */
export const browserOf =
  ({ reader, routes }: { reader: Reader; routes: EgressRoutes }, platform: SocialPlatform): Browse =>
  (question, reading) => {
    const { organization, onWait, signal } = reading
    return reader.page({
      ...question,
      platform,
      route: routeOf(routes, platform, reading),
      organization,
      onWait,
      signal,
    })
  }

const MAX_BYTES = 8 * 1024 * 1024

/**
 * Asks for a page of at most 8 MB, within the time of a worker's request.
 * @throws StepError `platform_blocked` for 403, 429 and a redirect away from the platform, `upstream_error` when it is
 *   down or out of reach
 */
export async function askPlatform(
  { label }: Site,
  browse: Browse,
  question: Omit<BrowserQuestion, 'follow' | 'maxBytes'>,
  reading: Reading,
): Promise<SiteAnswer> {
  const { status, url, location, text } = await browse(
    { ...question, follow: true, maxBytes: MAX_BYTES },
    reading,
  ).catch((error) => {
    throw unreachable(label, error)
  })
  const failure = location === null ? failureOfStatus(label, status) : withheld(label)
  if (failure) throw failure
  return { status, url: new URL(url), text }
}

function unreachable(label: string, error: unknown): unknown {
  if (!(error instanceof StepError) || error.code !== 'upstream_error') return error
  const { transient } = error
  return new StepError('upstream_error', { transient, message: `${label} cannot be reached.`, cause: error })
}
