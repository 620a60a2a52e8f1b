import { textOf, withinDeadline } from '#packages/egress/ask.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { EgressError, isPassing } from '#packages/egress/egress-error.ts'
import { locationOf } from '#packages/egress/redirect.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { browserHeaders } from '../reading/site.ts'
import { platformAt } from '../registry.ts'
import { isSignIn, parseVideoUrl, type VideoUrl } from './parse-video-url.ts'

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

const MAX_HOPS = 10
const DEADLINE_MS = 10_000
/** The largest page that is read. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** t.co answers browsers with a page and a script; it redirects all other clients. */
const asProgram = { 'user-agent': 'video-intelligence-service', accept: '*/*' }

/**
 * The video that a short link leads to. Redirects are followed one by one until one names a video of our platforms; the
 * video's own page is never requested. No body is read but that of a clip, which has no redirect.
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
    const found = judged(await nextOf(url, egress, signal))
    if (!(found instanceof URL)) return found
    url = found
  }
  throw new StepError('upstream_error', { message: 'The short link leads to one link after another.' })
}

/** The URL of the next hop. */
async function nextOf(url: URL, egress: Egress, signal: AbortSignal): Promise<URL> {
  const page = parseVideoUrl(url.href).kind === 'short' ? platformAt(url.hostname)?.urls.linkPage : undefined
  const limits = page ? { maxBytes: MAX_PAGE_BYTES, compressed: true } : { maxBytes: 0 }
  const headers = page?.headers ?? headersFor(url)
  await using answer = await egress.request(url.href, { headers, signal, redirect: 'manual', ...limits })
  const shown = page && answer.status === 200 ? page.targetOf(await textOf(answer)) : undefined
  const location = shown ?? locationOf(answer.status, answer.headers.location)
  if (location === undefined) throw failureOfStatus(answer.status)
  const next = URL.parse(location, url.href)
  if (!next) throw new StepError('upstream_error', { message: 'The short link leads to no URL.' })
  return next
}

/** Instagram and Facebook redirect only requests with a browser's headers. */
const headersFor = ({ hostname }: URL) => (hostname === 't.co' ? asProgram : browserHeaders)

/**
 * The video that a URL names, or the URL to request next, because it may lead to one.
 * @throws LeadsElsewhereError; StepError `video_unavailable` for a front page, `platform_blocked` for a sign-in page, a
 *   question about cookies, and a test for robots
 */
function judged(url: URL): FoundVideo | URL {
  if (isRobotTest(url)) throw new StepError('platform_blocked', { transient: true })
  const parsed = parseVideoUrl(url.href)
  if (parsed.kind === 'direct') throw new LeadsElsewhereError("leads to a host that is none of the platforms'")
  if (parsed.accepted) return parsed.kind === 'short' ? new URL(parsed.canonical) : parsed
  if (parsed.kind !== 'unsupported' || parsed.platform === null)
    throw new LeadsElsewhereError(`leads to a URL that ${parsed.reason}`)
  // the link of a removed video leads to the front page
  if (url.pathname === '/') throw new StepError('video_unavailable')
  if (isSignIn(url) || url.hostname === CONSENT) throw new StepError('platform_blocked', { transient: true })
  return url
}

/** YouTube's question about cookies. */
const CONSENT = 'consent.youtube.com'

/** Where YouTube sends clients that it takes for robots. */
const isRobotTest = ({ hostname, pathname }: URL): boolean =>
  hostname === 'www.google.com' && pathname.startsWith('/sorry/')

function failureOfStatus(status: number): StepError {
  if (status === 401 || status === 403 || status === 429) return new StepError('platform_blocked', { transient: true })
  if (status === 451) return new StepError('geo_blocked')
  if (status < 400 || status === 404 || status === 410) return new StepError('video_unavailable')
  const transient = status >= 500 || status === 408
  return new StepError('upstream_error', { transient, message: `The short link's host answered ${status}.` })
}

function failureOf(error: EgressError): StepError {
  return new StepError('upstream_error', {
    transient: isPassing(error),
    message: "The short link's host cannot be reached.",
    cause: error,
  })
}
