import { hostOf, refusalOf } from '#packages/egress/refusal.ts'
import { platformAt, type RegisteredPlatform, type SocialPlatform } from '../registry.ts'
import { lookAlikeOf } from './look-alike.ts'

/** A URL that a job can be accepted for. */
export type VideoUrl =
  | { accepted: true; kind: 'video' | 'photo'; platform: SocialPlatform; id: string; canonical: string }
  | { accepted: true; kind: 'short'; platform: SocialPlatform; id: null; canonical: string }
  /** Any other public URL: only its answer shows whether it is media. Path and query are kept as they are. */
  | { accepted: true; kind: 'direct'; platform: 'direct'; id: null; canonical: string }

/** A URL that no job can be accepted for, with the reason for a 400. */
export type RefusedUrl =
  /** A platform's page that is not a video. */
  | { accepted: false; kind: 'profile'; platform: SocialPlatform; id: string; canonical: string; reason: string }
  | { accepted: false; kind: 'unsupported'; platform: SocialPlatform; id: null; canonical: null; reason: string }
  /** `hostile`: leads to an internal host, or imitates another URL; `invalid`: no URL at all. */
  | { accepted: false; kind: 'hostile' | 'invalid'; platform: null; id: null; canonical: null; reason: string }

const MAX_LENGTH = 2048

/** Redirect pages inside of one another: Instagram leads to Facebook's page, and that to the video. */
const MAX_REDIRECT_PAGES = 3

/** The URL parser silently drops or replaces these, other parsers do not: refused, because programs would disagree. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const ambiguous = /[\\\u0000-\u001f\u007f]/
const escapedControl = /%(?:[01][0-9a-f]|7f)/i

/**
 * What a URL sent by a user leads to, judged by its text alone, without network access. A URL without a scheme counts
 * as https where its host is a platform's. The URL in a platform's redirect page is judged in place of the page.
 * Reasons are parts of a sentence that begins with the field's name.
 */
export const parseVideoUrl = (input: string): VideoUrl | RefusedUrl => judged(input, MAX_REDIRECT_PAGES)

/** @param redirects how many redirect pages may still be unwrapped */
function judged(input: string, redirects: number): VideoUrl | RefusedUrl {
  const text = input.trim()
  if (ambiguous.test(text)) return refused('hostile', 'must not contain control characters or backslashes')
  if (text.startsWith('//')) return refused('hostile', 'must begin with http:// or https://')
  const hasScheme = /^[a-z][a-z\d+.-]*:/i.test(text)
  const url = URL.parse(hasScheme ? text : `https://${text}`)
  const platform = url ? platformAt(hostOf(url)) : undefined
  if (!url || (!hasScheme && !platform)) return refused('invalid', 'must be a full http(s) URL')
  const refusal = refusalOf(url)
  if (refusal) return refused('hostile', refusal)
  const parsed = platform ? ofPlatform(url, platform, redirects) : ofFile(url)
  if ((parsed.canonical?.length ?? 0) > MAX_LENGTH)
    return refused('invalid', `must have at most ${MAX_LENGTH} characters`)
  return parsed
}

function ofPlatform(
  url: URL,
  { name: platform, label, urls }: RegisteredPlatform,
  redirects: number,
): VideoUrl | RefusedUrl {
  if (escapedControl.test(url.href)) return refused('hostile', 'must not contain control characters')
  const found = urls.recognise(url)
  if (!found) {
    const reason = `is not the URL of a video on ${label}`
    return { accepted: false, kind: 'unsupported', platform, id: null, canonical: null, reason }
  }
  if (found.kind === 'profile') {
    const { kind, id, canonical } = found
    return { accepted: false, kind, platform, id, canonical, reason: `is a profile on ${label}, not a video` }
  }
  if (found.kind === 'redirect') return inside(found.to, redirects)
  return { accepted: true, platform, ...found }
}

/** What the URL in a redirect page leads to. */
function inside(to: string, redirects: number): VideoUrl | RefusedUrl {
  if (redirects === 0) return refused('hostile', 'leads to one redirect page after another')
  const inner = judged(to, redirects - 1)
  // the outermost page says so once for all
  if (inner.accepted || redirects < MAX_REDIRECT_PAGES) return inner
  return { ...inner, reason: `leads to a URL that ${inner.reason}` }
}

function ofFile(url: URL): VideoUrl | RefusedUrl {
  const lookAlike = lookAlikeOf(url)
  if (lookAlike) return refused('hostile', lookAlike)
  url.hash = ''
  return { accepted: true, kind: 'direct', platform: 'direct', id: null, canonical: url.href }
}

const refused = (kind: 'hostile' | 'invalid', reason: string): RefusedUrl => ({
  accepted: false,
  kind,
  platform: null,
  id: null,
  canonical: null,
  reason,
})
