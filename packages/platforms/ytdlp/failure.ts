import type { FailureCode } from '#packages/domain/job/failure.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { PlatformRefusal } from '../breakers/platform-refusal.ts'

export type FailureRow = {
  code: FailureCode
  /** A later attempt may succeed. */
  transient: boolean
  /** The reader no longer understands the platform: operators should look for a newer yt-dlp. */
  broken?: true
  /**
   * The platform also reports this for a video that is deleted, or hidden from our account. It does not refuse the
   * account.
   */
  ofVideo?: true
  /**
   * The platform refuses us whatever we request, so breakers count it. Without this, it may have refused only this
   * video.
   */
  ofUs?: true
  /** The row fits a message of yt-dlp that any of these matches. */
  says: readonly RegExp[]
}

/** The meaning of yt-dlp's messages, specific before generic: the first row that fits counts. */
export const failureRows: readonly FailureRow[] = [
  { code: 'live_not_ended', transient: false, says: [/^reader: live and not ended/] },
  { code: 'media_too_large', transient: false, says: [/^reader: too many bytes/] },
  { code: 'media_unsupported', transient: false, says: [/^reader: no video in the post/, /^reader: no canonical URL/] },
  { code: 'video_private', transient: false, says: [/^reader: only followers may see it/] },
  { code: 'login_required', transient: false, ofVideo: true, says: [/^reader: only members may see it/] },
  { code: 'upstream_error', transient: true, says: [/^reader: /] },
  // our own guard proxy refused the host
  {
    code: 'upstream_error',
    transient: false,
    says: [/Tunnel connection failed: 403/, /CONNECT tunnel failed, response 403/, /Refused by the egress guard/],
  },
  {
    code: 'live_not_ended',
    transient: false,
    says: [
      /This live event will begin/,
      /Premieres in/,
      /live broadcast has not yet started/,
      /Space (?:not started|ended but not downloadable) yet/,
    ],
  },
  {
    code: 'age_restricted',
    transient: false,
    says: [
      /NSFW tweet requires authentication/,
      /may not be comfortable for some audiences/,
      /confirm your age/,
      /Age-restricted adult content/,
      /Restricted Video: /,
    ],
  },
  {
    code: 'platform_blocked',
    transient: true,
    ofUs: true,
    says: [
      /not a bot\b/,
      /captcha challenge/,
      /IP is likely being blocked/,
      /page needs to be reloaded/,
      /Unable to solve JS challenge/,
      // TikTok answers this instead of the page if it distrusts the address or the browser that we imitate
      /Unexpected response from webpage request/,
    ],
  },
  {
    code: 'video_private',
    transient: false,
    says: [
      /This video is private/,
      /Private video\b/,
      /account is private\b/,
      /You do not have permission to view this post/,
      /protected tweet/,
      /owner limits who can view/,
      /registered users who follow this account/,
      /not authorized to see this/,
    ],
  },
  {
    code: 'login_required',
    transient: false,
    ofVideo: true,
    says: [/members on level/, /members-only content/, /requires payment to watch/],
  },
  { code: 'login_required', transient: false, says: [/cookies are no longer valid/] },
  {
    code: 'geo_blocked',
    transient: false,
    says: [
      /not made this video available in your country/,
      /not available from your location/,
      // X, for a country
      /has been withheld in\b/,
    ],
  },
  {
    code: 'platform_blocked',
    transient: true,
    ofUs: true,
    says: [/Your IP address is blocked/, /rate.limit/i, /HTTP Error (?:403|429)\b/, /wait a few minutes/],
  },
  {
    code: 'platform_blocked',
    transient: true,
    says: [
      /redirected to the login page/,
      // TikTok says this to addresses that it distrusts, even for public videos
      /TikTok is requiring login/,
      /not granting access/,
      // YouTube says this to clients without an account or a proof token, even for public videos
      /Please sign in\b/,
      /not available on this app/,
      // an empty body: YouTube sends it in place of captions when it wants a proof token
      /Did not get any data blocks/,
    ],
  },
  {
    code: 'login_required',
    transient: false,
    says: [/only available for registered users/, /[Ll]og ?in to (?:access|continue)/],
  },
  // yt-dlp finds nothing in Facebook's page for guests who must log in
  {
    code: 'login_required',
    transient: false,
    ofVideo: true,
    says: [/empty media response/, /Cannot parse data/],
  },
  {
    code: 'video_unavailable',
    transient: false,
    says: [
      /This video is unavailable/,
      /Video unavailable/,
      /This Post was deleted/,
      /Video not available, status code \d+/,
      /No status found/,
      /No video could be found in this tweet/,
      /Requested tweet is unavailable/,
      /not available, Facebook said: /,
      /suspended account|^Suspended$/,
      /video (?:has been|was) removed/,
      /no longer (?:available|exists)/,
      /(?:Post|Tweet) is unavailable/,
      /violated the X Rules/,
      /Space not found/,
      /replay is disabled/,
      /account associated with this video has been terminated/,
      /HTTP Error (?:404|410)\b/,
    ],
  },
  {
    code: 'media_unsupported',
    transient: false,
    says: [
      /There is no video in this post/,
      /Unsupported URL/,
      /No suitable extractor/,
      /is not a valid URL/,
      /DRM protected/,
    ],
  },
  // comes before the next row, because yt-dlp asks to report these too
  {
    code: 'upstream_error',
    transient: true,
    says: [
      /Unable to (?:download|connect)/,
      /HTTP Error \d/,
      /timed out/,
      /querying API: .*(?:Over capacity|[Ii]nternal|Timeout)/,
      /empty JSON response/,
    ],
  },
  {
    code: 'upstream_error',
    transient: true,
    broken: true,
    says: [/please report this issue/],
  },
]

/** For messages that fit no row, such as broken connections. */
const otherwise: FailureRow = { code: 'upstream_error', transient: true, says: [] }

/** The row that a message of yt-dlp belongs to. */
export function failureRowOf(message: string): FailureRow {
  const text = withoutId(message)
  return failureRows.find(({ says }) => says.some((words) => words.test(text))) ?? otherwise
}

/** The error for a message of yt-dlp. Its cause holds the message without addresses. */
export function failureOfMessage(message: string, url = ''): StepError {
  const { code, transient, ofUs } = failureRowOf(message)
  const cause = new Error(redacted(message, url))
  return ofUs ? new PlatformRefusal({ cause }) : new StepError(code, { transient, cause })
}

/** A message without addresses, which may be signed or hold a password, and without names from the video's URL. */
export const redacted = (message: string, url = ''): string =>
  namesIn(url)
    .reduce((text, name) => text.replaceAll(name, '(id)'), message.slice(0, MAX_MESSAGE))
    .replace(/\b[a-z][a-z\d+.-]*:\/\/\S+/gi, '(address)')
    .replace(/^((?:ERROR: )?\[[\w:]+\]) (?!\(id\))[^\s:]+: /, '$1 (id): ')
    .slice(0, 500)

/** Parts of paths that do not identify a video. */
const routes = new Set(['watch', 'shorts', 'video', 'videos', 'status', 'reels', 'embed', 'share'])

/** The parts of a URL's path and query that may identify a video or an account. */
function namesIn(url: string): string[] {
  const { pathname = '', searchParams } = URL.parse(url) ?? {}
  const names = [...pathname.split('/'), ...(searchParams?.values() ?? [])]
  return names.filter((name) => name.length >= 5 && !routes.has(name)).sort((a, b) => b.length - a.length)
}

/** A message may contain a page's text, and the search for addresses takes quadratic time. */
const MAX_MESSAGE = 2000

/** `ERROR: [TikTok] 123429: …`: an id must not be taken for a status. */
const withoutId = (message: string): string =>
  message
    .replace(/^ERROR: /, '')
    .replace(/^\[[\w:]+\] (?:[^\s:]+: )?/, '')
    .replaceAll('’', "'")
