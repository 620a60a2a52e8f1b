import { hostOf, refusalOf } from '#packages/egress/refusal.ts'
import { ownerOf, platformAt, platforms, type RegisteredPlatform, type SocialPlatform } from '../registry.ts'
import { lookAlikeOf } from './look-alike.ts'
import { namedPage } from './named-page.ts'
import { namesMediaFile, otherSiteOf } from './other-sites.ts'
import { linksIn, withoutTrailing, withoutWrapping } from './pasted-link.ts'
import { segmentsOf } from './recognised.ts'

/** A URL that a job can be accepted for. */
export type VideoUrl =
  | { accepted: true; kind: 'video' | 'photo'; platform: SocialPlatform; id: string; canonical: string }
  | { accepted: true; kind: 'short'; platform: SocialPlatform; id: null; canonical: string }
  /** Any other public URL: only its answer shows whether it is media. Path and query are kept unchanged. */
  | { accepted: true; kind: 'direct'; platform: 'direct'; id: null; canonical: string }

/** A URL that no job can be accepted for, with the reason for a 400. */
export type RefusedUrl =
  /** A page that is not a video. `platform` null: a page of a known site that is not ours. */
  | { accepted: false; kind: 'profile'; platform: SocialPlatform; id: string; canonical: string; reason: string }
  | { accepted: false; kind: 'unsupported'; platform: SocialPlatform | null; id: null; canonical: null; reason: string }
  /** `hostile`: leads to an internal host, or imitates another URL; `invalid`: not a URL. */
  | { accepted: false; kind: 'hostile' | 'invalid'; platform: null; id: null; canonical: null; reason: string }

const MAX_LENGTH = 2048

/** Most nested redirect pages. Instagram leads to Facebook's redirect page, and that leads to the video. */
const MAX_REDIRECT_PAGES = 3

/**
 * The URL parser silently drops or replaces these characters, and other parsers do not. We refuse them, because
 * programs would disagree.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const ambiguous = /[\\\u0000-\u001f\u007f]/
const escapedControl = /%(?:[01][0-9a-f]|7f)/i

/**
 * Finds out what a user's URL leads to, from its text alone, without network access. Removes what people paste around a
 * link: brackets, quotes, invisible characters, Markdown, the text that an app shares. A URL without a scheme counts as
 * https if its host is a platform's. For a platform's redirect page, judges the URL inside. Reasons are parts of a
 * sentence that begins with the field's name.
 */
export function parseVideoUrl(input: string): VideoUrl | RefusedUrl {
  const text = withoutWrapping(input)
  // most URLs come alone
  if (/^https?:\/\/\S+$/i.test(text)) return judged(text, MAX_REDIRECT_PAGES)
  const links = linksIn(text)
  const [link = ''] = links
  if (links.length > 1) return refused('invalid', `holds ${links.length} links: send the one of the video`)
  if (links.length === 0 || isOneUrl(text, link)) return judged(text, MAX_REDIRECT_PAGES)
  return judged(link, MAX_REDIRECT_PAGES)
}

/**
 * Whether a text that contains a link is a single URL: one of another scheme, or of a file with spaces in its name. If
 * the link before the first space is a video or a file, the rest is text.
 */
function isOneUrl(text: string, link: string): boolean {
  if (!/\s/.test(text)) return /^[a-z][a-z\d+.-]*:/i.test(text)
  if (!text.startsWith(link)) return false
  const { accepted, kind } = judged(link, MAX_REDIRECT_PAGES)
  return kind === 'direct' ? !namesMediaFile(new URL(link)) : !accepted
}

/** @param redirects how many redirect pages may still be unwrapped */
function judged(text: string, redirects: number): VideoUrl | RefusedUrl {
  const bare = withoutTrailing(text)
  const parsed = bare === text ? undefined : judgedExactly(bare, redirects)
  // Punctuation after a link never belongs to a platform's id. A file's name may end in it.
  if (parsed?.accepted && parsed.kind !== 'direct') return parsed
  return judgedExactly(text, redirects)
}

function judgedExactly(text: string, redirects: number): VideoUrl | RefusedUrl {
  if (ambiguous.test(text)) return refused('hostile', 'must not contain control characters or backslashes')
  if (text.startsWith('//')) return refused('hostile', 'must begin with http:// or https://')
  const hasScheme = /^[a-z][a-z\d+.-]*:/i.test(text)
  const url = URL.parse(hasScheme ? text : `https://${text}`)
  const host = url ? hostOf(url) : ''
  const platform = platformAt(host)
  const owner = platform ?? ownerOf(host)
  if (!url || (!hasScheme && !owner)) return refused('invalid', 'must be a full http(s) URL')
  const refusal = refusalOf(url)
  if (refusal) return refused('hostile', refusal)
  const parsed = platform ? ofPlatform(url, platform, redirects) : owner ? ofOwner(url, owner, redirects) : ofFile(url)
  if ((parsed.canonical?.length ?? 0) > MAX_LENGTH)
    return refused('invalid', `must have at most ${MAX_LENGTH} characters`)
  return parsed
}

function ofPlatform(url: URL, { name: platform, label, urls }: RegisteredPlatform, redirects: number) {
  if (escapedControl.test(url.href)) return refused('hostile', 'must not contain control characters')
  if (urls.isMedia?.(url)) return file(url)
  const found = urls.recognise(url) ?? behindSignIn(url, redirects)
  if (found?.kind === 'profile') {
    const { kind, id, canonical } = found
    return { accepted: false, kind, platform, id, canonical, reason: `is a profile on ${label}, not a video` } as const
  }
  if (found?.kind === 'redirect') return inside(found.to, redirects)
  if (found && 'accepted' in found) return found
  if (found && found.kind !== 'page') return { accepted: true, platform, ...found } as const
  const what = found?.what ?? namedPage(segmentsOf(url)[0] ?? '')
  return unsupported(platform, what ? `is ${what} of ${label}, not a video` : `is not the URL of a video on ${label}`)
}

/** A sign-in page names the page that it protects in its query. */
function behindSignIn(url: URL, redirects: number): VideoUrl | undefined {
  const wanted = isSignIn(url) && (url.searchParams.get('next') ?? url.searchParams.get('redirect_url'))
  const next = wanted ? URL.parse(wanted, url.origin) : null
  const parsed = next && redirects > 0 ? judged(next.href, redirects - 1) : undefined
  return parsed?.kind === 'video' || parsed?.kind === 'photo' ? parsed : undefined
}

export const isSignIn = ({ pathname }: URL): boolean =>
  /^\/(?:accounts\/)?(?:login|checkpoint|challenge|signin)\b/.test(pathname)

/** A URL on a platform's domain, but not on a host that shows its videos. Some lead to videos, and some are files. */
function ofOwner(url: URL, owner: RegisteredPlatform, redirects: number): VideoUrl | RefusedUrl {
  const { name, label, urls } = owner
  if (namesMediaFile(url) || urls.isMedia?.(url)) return file(url)
  const asVideo = new URL(url)
  asVideo.hostname = urls.domains[0]
  const parsed = ofPlatform(asVideo, owner, redirects)
  if (parsed.accepted) return parsed
  const [part = ''] = url.hostname.split('.')
  return unsupported(name, `is ${namedPage(part) ?? `a page (${url.hostname})`} of ${label}, not a video`)
}

/** Judges the URL in a redirect page. */
function inside(to: string, redirects: number): VideoUrl | RefusedUrl {
  if (redirects === 0) return refused('hostile', 'leads to one redirect page after another')
  const inner = judged(to, redirects - 1)
  // only the outermost page reports this
  if (inner.accepted || redirects < MAX_REDIRECT_PAGES) return inner
  return { ...inner, reason: `leads to a URL that ${inner.reason}` }
}

function ofFile(url: URL): VideoUrl | RefusedUrl {
  const lookAlike = lookAlikeOf(url)
  if (lookAlike) return refused('hostile', lookAlike)
  const site = otherSiteOf(url)
  return site ? unsupported(null, `is a page of ${site}, which is not supported: ${supported}`) : file(url)
}

const labels = platforms.map(({ label }) => label)

/** The sentence that says what to send in place of an unsupported page. */
export const supported = `send a video of ${labels.slice(0, -1).join(', ')} or ${labels.at(-1)}, or a direct media file`

function file(url: URL): VideoUrl {
  url.hash = ''
  return { accepted: true, kind: 'direct', platform: 'direct', id: null, canonical: url.href }
}

const unsupported = (platform: SocialPlatform | null, reason: string): RefusedUrl => ({
  accepted: false,
  kind: 'unsupported',
  platform,
  id: null,
  canonical: null,
  reason,
})

const refused = (kind: 'hostile' | 'invalid', reason: string): RefusedUrl => ({
  accepted: false,
  kind,
  platform: null,
  id: null,
  canonical: null,
  reason,
})
