import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Reading } from './reading.ts'
import { failureOfStatus, type Site, type SiteAnswer, type SiteReport, signInWall } from './site.ts'

/** A request to a platform's own hosts. */
export type BrowserQuestion = {
  url: string
  method?: 'GET' | 'POST' | undefined
  /** Headers in addition to those of the imitated browser. */
  headers?: Record<string, string> | undefined
  body?: string | undefined
  /** Text that every complete page contains. If it is missing, another imitated browser tries. */
  holds?: string | undefined
  /** Whether redirects within the platform are followed. */
  follow: boolean
  /** The most text to read; 0: none. */
  maxBytes: number
}

/** `location`: the target of a redirect that was not followed. */
export type PageAnswer = { status: number; url: string; location: string | null; text: string }

/** Sends a request as a browser does. Every request that claims to be one goes through the reader's workers. */
export type Browse = (question: BrowserQuestion, reading: Reading) => Promise<PageAnswer>

/** The means to read a platform's own pages. */
export type SiteOptions = {
  browse: Browse
  report: SiteReport
}

const MAX_BYTES = 8 * 1024 * 1024

/**
 * Requests a page of at most 8 MB, within the time of a worker's request.
 * @throws StepError `platform_blocked` for 403, 429 and a redirect away from the platform, `upstream_error` if the
 * platform is down or unreachable
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
  const failure = location === null ? failureOfStatus(label, status) : signInWall(label)
  if (failure) throw failure
  return { status, url: new URL(url), text }
}

function unreachable(label: string, error: unknown): unknown {
  if (!(error instanceof StepError) || error.code !== 'upstream_error') return error
  const { transient } = error
  return new StepError('upstream_error', { transient, message: `${label} cannot be reached.`, cause: error })
}
