import { withinDeadline } from '#packages/egress/ask.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { EgressError, isPassing } from '#packages/egress/egress-error.ts'
import { locationOf } from '#packages/egress/redirect.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Browse } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { OWN_NAME } from '../reading/site.ts'
import { ownerOf, platformAt, type SocialPlatform } from '../registry.ts'
import { isSignIn, parseVideoUrl, type VideoUrl } from './parse-video-url.ts'
import type { LinkPage } from './recognised.ts'

type ShortLink = Extract<VideoUrl, { kind: 'short' }>
type FoundVideo = Extract<VideoUrl, { kind: 'video' | 'photo' }>

/** A short link does not lead to a platform's video. For a job this is `video_unavailable`. */
export class LeadsElsewhereError extends StepError {
  /** The reason for a 400: part of a sentence that begins with the field's name. */
  readonly reason: string

  constructor(reason: string) {
    super('video_unavailable', { message: `The URL ${reason}.` })
    this.reason = reason
  }
}

const MAX_HOPS = 10
/** The time limit for all hops together, milliseconds. Each may wait for a worker. */
const DEADLINE_MS = 30_000
/** The largest page that is read. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** How links are followed: as a browser on the platforms' hosts, as a program at t.co and elsewhere. */
export type LinkWays = { browserOf(platform: SocialPlatform): Browse; egress: Egress; reading: Reading }

/** t.co answers browsers with a page and a script; it redirects all other clients. */
const asProgram = { 'user-agent': OWN_NAME, accept: '*/*' }

/**
 * The video that a short link leads to. Follows redirects one by one until one names a video of our platforms, and
 * never requests the video's own page. Reads no body except that of a clip, which has no redirect.
 * @throws LeadsElsewhereError; StepError `video_unavailable` for a link that leads nowhere, `platform_blocked`,
 *   `geo_blocked`, `upstream_error`; the signal's reason when aborted
 */
export async function resolveShortLink(link: ShortLink, ways: LinkWays): Promise<FoundVideo> {
  const start = new URL(link.canonical)
  const limit = { deadlineMs: DEADLINE_MS, host: start.hostname }
  try {
    return await withinDeadline(ways.reading.signal, limit, (signal) =>
      follow(start, { ...ways, reading: { ...ways.reading, signal } }),
    )
  } catch (error) {
    throw error instanceof EgressError ? failureOf(error) : error
  }
}

async function follow(start: URL, ways: LinkWays): Promise<FoundVideo> {
  let url = start
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const found = judged(await nextOf(url, ways))
    if (!(found instanceof URL)) return found
    url = found
  }
  throw new StepError('upstream_error', { message: 'The short link leads to one link after another.' })
}

/** The URL of the next hop. */
async function nextOf(url: URL, ways: LinkWays): Promise<URL> {
  const page = parseVideoUrl(url.href).kind === 'short' ? platformAt(url.hostname)?.urls.linkPage : undefined
  const platform = browsedAt(url)
  const answer = platform
    ? await askAsBrowser(url, page, ways.browserOf(platform), ways.reading)
    : await askAsProgram(url, ways)
  const shown = page && answer.status === 200 ? page.targetOf(answer.text) : undefined
  const location = shown ?? answer.location
  if (location === null) throw failureOfStatus(answer.status)
  const next = URL.parse(location, url.href)
  if (!next) throw new StepError('upstream_error', { message: 'The short link leads to no URL.' })
  return next
}

type Hop = { status: number; location: string | null; text: string }

/** Instagram and Facebook redirect only browsers. */
const askAsBrowser = ({ href: url }: URL, page: LinkPage | undefined, browse: Browse, reading: Reading): Promise<Hop> =>
  browse({ url, headers: page?.headers, follow: false, maxBytes: page ? MAX_PAGE_BYTES : 0 }, reading)

async function askAsProgram(url: URL, { egress, reading }: LinkWays): Promise<Hop> {
  const { signal } = reading
  await using answer = await egress.request(url.href, { headers: asProgram, signal, redirect: 'manual', maxBytes: 0 })
  return { status: answer.status, location: locationOf(answer.status, answer.headers.location) ?? null, text: '' }
}

/** The platform, if a URL on its hosts is requested as a browser. */
const browsedAt = (url: URL): SocialPlatform | undefined =>
  url.hostname === 't.co' || url.protocol !== 'https:'
    ? undefined
    : (platformAt(url.hostname) ?? ownerOf(url.hostname))?.name

/**
 * The video that a URL names, or the URL to request next, because it may lead to one.
 * @throws LeadsElsewhereError; StepError `video_unavailable` for a front page, `platform_blocked` for a sign-in page,
 *   a consent page, and a robot check
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

/** YouTube's consent page for cookies. */
const CONSENT = 'consent.youtube.com'

/** Whether a URL is the page to which YouTube sends clients that it takes for robots. */
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
