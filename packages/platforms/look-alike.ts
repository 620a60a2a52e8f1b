import { domainToUnicode } from 'node:url'
import { hostOf } from '#packages/egress/refusal.ts'
import type { UrlFamily } from './url-family.ts'

/** Pages that only a platform of ours has; no media file lies under such an address. */
const pagesOfVideos = [/^\/watch\/?\?(?:.*&)?v=/, /^\/@[^/]+\/(?:video|photo)\/\d/, /^\/[^/]+\/status(?:es)?\/\d/]

/**
 * Why the address of a host that is none of ours passes itself off as a video page of one, in words for its sender;
 * undefined when it does not. Four rules: a name that mixes alphabets, a platform's name put in front of another, the
 * path of a platform's video page, and a redirector with a platform's address in its query.
 */
export function lookAlikeOf(url: URL, families: readonly UrlFamily[]): string | undefined {
  const host = hostOf(url)
  const names = families.flatMap(({ hosts }) => [...hosts])
  if (domainToUnicode(host).split('.').some(mixesAlphabets)) return 'has a host name that mixes alphabets'
  if (names.some((name) => `.${host}`.includes(`.${name}.`))) return "has a host that only begins like a platform's"
  if (pagesOfVideos.some((page) => page.test(url.pathname + url.search))) {
    return "is a video page of a host that is none of the platforms'"
  }
  const wraps = [...url.searchParams.values()].some((value) => leadsTo(value, families))
  return wraps ? "leads to another URL; send the video's own" : undefined
}

/** Latin beside letters that look the same: the mark of a homograph (Unicode TR 39). */
const mixesAlphabets = (label: string): boolean =>
  /\p{Script=Latin}/u.test(label) &&
  /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}/u.test(label)

function leadsTo(value: string, families: readonly UrlFamily[]): boolean {
  const inner = URL.parse(value)
  if (!inner) return false
  const family = families.find(({ hosts }) => hosts.has(hostOf(inner)))
  return family?.recognise(inner) !== undefined
}
