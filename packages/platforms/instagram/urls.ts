import {
  page as named,
  type PlatformUrls,
  type Recognised,
  redirect,
  segmentsOf,
  short,
  video,
} from '../urls/recognised.ts'

/** The path segment of each kind of post, and the segment in its canonical URL. */
const posts = new Map([
  ['p', 'p'],
  ['tv', 'p'],
  ['reel', 'reel'],
  ['reels', 'reel'],
])

/** First path segments that are pages of Instagram, not usernames. */
const reserved = new Set(['about', 'accounts', 'developer', 'direct', 'explore', 'legal', 'share'])

/** Sites that show Instagram's posts under the same paths for link previews. */
const mirrors = ['ddinstagram.com', 'kkinstagram.com', 'eeinstagram.com', 'vxinstagram.com', 'instagramez.com'].flatMap(
  (host) => [host, `www.${host}`],
)

/** Leads to other sites. */
const REDIRECTOR = 'l.instagram.com'

const own = ['instagram.com', 'www.instagram.com', 'm.instagram.com', 'instagr.am', 'www.instagr.am']

export const instagramUrls: PlatformUrls = {
  hosts: new Set([...own, ...mirrors, REDIRECTOR]),
  domains: ['instagram.com'],
  isMedia: ({ hostname }) => /^(?:scontent|lookaside)\b/.test(hostname),
  recognise,
}

function recognise(url: URL): Recognised | undefined {
  if (url.hostname === REDIRECTOR) return redirect(url.searchParams.get('u'))
  const segments = segmentsOf(url)
  const [first = '', second] = segments
  if (first === 'share' && second) return short(url)
  if (first === 'stories') return named('a story, which only signed-in people see,')
  if (reserved.has(first)) return undefined
  const isPost = posts.has(first)
  const [kind = '', code = ''] = isPost ? segments : segments.slice(1)
  const page = posts.get(kind)
  // the page of a sound, with the reels that use it
  if (page && code === 'audio') return named('a sound with its reels')
  if (page && /^[\w-]{5,64}$/.test(code)) return video(code, `https://www.instagram.com/${page}/${code}/`)
  if (isPost || second || !/^[\w.]{1,30}$/.test(first)) return undefined
  const user = first.toLowerCase()
  return { kind: 'profile', id: user, canonical: `https://www.instagram.com/${user}/` }
}
