import { domainToUnicode } from 'node:url'
import { hostOf } from '#packages/egress/refusal.ts'
import { platformAt, platforms } from '../registry.ts'

/** Paths of video pages that only our platforms have. No media file has such a path. */
const pagesOfVideos = /^\/(?:watch\/?\?(?:.*&)?v=|@[^/]+\/(?:video|photo)\/\d|[^/]+\/status(?:es)?\/\d)/

/** A platform's whole name, followed by more labels. */
const platformInFront = new RegExp(
  `(?:^|\\.)(?:${platforms.flatMap(({ urls: { hosts } }) => [...hosts].map(RegExp.escape)).join('|')})\\.`,
)

/**
 * Why a URL outside the platforms' hosts imitates a platform's video page, in words for its sender. Undefined if it
 * does not. Four rules: a host name that mixes alphabets, a platform's name in front of another, the path of a
 * platform's video page, and a redirector with a platform's URL in its query.
 */
export function lookAlikeOf(url: URL): string | undefined {
  const host = hostOf(url)
  if (hasMixedLabel(host)) return 'has a host name that mixes alphabets'
  if (platformInFront.test(host)) return "has a host that only begins like a platform's"
  if (pagesOfVideos.test(url.pathname + url.search)) return "is a video page of a host that is none of the platforms'"
  // Most URLs of files have no query, and parsing one costs more than all other rules.
  const wraps = url.search !== '' && [...url.searchParams.values()].some(leadsToPlatform)
  return wraps ? "leads to another URL; send the video's own" : undefined
}

/** The URL parser leaves ASCII alone and spells any other alphabet as xn--. */
const hasMixedLabel = (host: string): boolean =>
  host.includes('xn--') && domainToUnicode(host).split('.').some(mixesAlphabets)

/** Latin mixed with letters that look the same: the mark of a homograph (Unicode TR 39). */
const mixesAlphabets = (label: string): boolean =>
  /\p{Script=Latin}/u.test(label) &&
  /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}/u.test(label)

function leadsToPlatform(value: string): boolean {
  const inner = URL.parse(value)
  return inner !== null && platformAt(hostOf(inner))?.urls.recognise(inner) !== undefined
}
