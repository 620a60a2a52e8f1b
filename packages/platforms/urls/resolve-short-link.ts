import { withinDeadline } from '#packages/egress/ask.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { EgressError, isPassing } from '#packages/egress/egress-error.ts'
import { locationOf } from '#packages/egress/redirect.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { browserHeaders } from '../reading/site.ts'
import { parseVideoUrl, type VideoUrl } from './parse-video-url.ts'

type ShortLink = Extract<VideoUrl, { kind: 'short' }>
type FoundVideo = Extract<VideoUrl, { kind: 'video' | 'photo' }>

/** A short link leads to something else than a platform's video. For a job it is `video_unavailable`. */
export class LeadsElsewhereError extends StepError {
  /** For a 400: part of a sentence that begins with the field's name. */
  readonly reason: string

  constructor(reason: string) {
    super('video_unavailable', { message: `The URL ${reason}.` })
    this.reason = reason
  }
}

const MAX_HOPS = 5
const DEADLINE_MS = 10_000

/** t.co answers browsers with a page and a script; it redirects all other clients. */
const asProgram = { 'user-agent': 'video-intelligence-service', accept: '*/*' }

/**
 * The video that a short link leads to. Redirects are followed one by one until one names a video of our platforms; the
 * video's own page is never requested, and no body is read.
 * @throws LeadsElsewhereError; StepError `video_unavailable` for a link that leads nowhere, `platform_blocked`,
 *   `geo_blocked`, `upstream_error`; the signal's reason when aborted
 */
export async function resolveShortLink(link: ShortLink, egress: Egress, signal: AbortSignal): Promise<FoundVideo> {
  const start = new URL(link.canonical)
  const limit = { deadlineMs: DEADLINE_MS, host: start.hostname }
  try {
    return await withinDeadline(signal, limit, (signal) => follow(start, egress, signal))
  } catch (error) {
    throw error instanceof EgressError ? failureOf(error) : error
  }
}

async function follow(start: URL, egress: Egress, signal: AbortSignal): Promise<FoundVideo> {
  let url = start
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    url = await nextOf(url, egress, signal)
    const found = videoAt(url)
    if (found) return found
  }
  throw new StepError('video_unavailable', { message: 'The short link leads to one link after another.' })
}

/** The URL of the next hop. */
async function nextOf(url: URL, egress: Egress, signal: AbortSignal): Promise<URL> {
  // Instagram and Facebook redirect only requests with a browser's headers
  const headers = url.hostname === 't.co' ? asProgram : browserHeaders
  await using answer = await egress.request(url.href, { headers, signal, maxBytes: 0, redirect: 'manual' })
  const location = locationOf(answer.status, answer.headers.location)
  if (location === undefined) throw failureOfStatus(answer.status)
  const next = URL.parse(location, url.href)
  if (!next) throw new StepError('upstream_error', { message: 'The short link leads to no URL.' })
  return next
}

/**
 * The video that a URL names; undefined for a URL that may redirect to one.
 * @throws LeadsElsewhereError; StepError `video_unavailable` for a front page, `platform_blocked` for a sign-in page
 */
function videoAt(url: URL): FoundVideo | undefined {
  const parsed = parseVideoUrl(url.href)
  if (parsed.kind === 'direct') throw new LeadsElsewhereError("leads to a host that is none of the platforms'")
  if (parsed.accepted) return parsed.kind === 'short' ? undefined : parsed
  if (parsed.kind !== 'unsupported') throw new LeadsElsewhereError(`leads to a URL that ${parsed.reason}`)
  // the link of a removed video leads to the front page
  if (url.pathname === '/') throw new StepError('video_unavailable')
  return isSignIn(url) ? behindSignIn(url) : undefined
}

const isSignIn = ({ pathname }: URL): boolean => /^\/(?:accounts\/)?(?:login|checkpoint)\b/.test(pathname)

/** A sign-in page names the page that it protects in its query. */
function behindSignIn(url: URL): FoundVideo {
  const wanted = url.searchParams.get('next') ?? url.searchParams.get('redirect_url')
  const next = wanted === null ? null : URL.parse(wanted, url.href)
  const parsed = next && parseVideoUrl(next.href)
  if (parsed?.kind === 'video' || parsed?.kind === 'photo') return parsed
  throw new StepError('platform_blocked', { transient: true })
}

function failureOfStatus(status: number): StepError {
  if (status === 401 || status === 403 || status === 429) return new StepError('platform_blocked', { transient: true })
  if (status === 451) return new StepError('geo_blocked')
  if (status < 500 && status !== 408) return new StepError('video_unavailable')
  return new StepError('upstream_error', { transient: true, message: `The short link's host answered ${status}.` })
}

function failureOf(error: EgressError): StepError {
  if (error.reason === 'refused_address') return new StepError('video_unavailable', { cause: error })
  return new StepError('upstream_error', {
    transient: isPassing(error),
    message: "The short link's host cannot be reached.",
    cause: error,
  })
}
