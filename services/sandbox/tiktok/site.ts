import type { Media } from '../media.ts'
import { oembedOf } from '../oembed.ts'
import { isSignedIn, redirectTo, type SandboxAnswer, type SandboxRequest, type Site } from '../site.ts'
import { type TikTokVideo, tiktokCreators, tiktokPhotos, tiktokVideos } from './catalogue.ts'
import { COOKIE, chainTokenOf, file, film, filmHosts, pictureAddress } from './cdn.ts'
import { itemOf } from './item.ts'
import { embedPage, profilePage, videoPage } from './page.ts'
import { hasProof, proofPage } from './proof-of-work.ts'

/** `www.tiktok.com/oembed` */
const tiktokOembed = oembedOf(tiktokVideos, ({ description, creator, film }) => ({
  title: description,
  author_url: `https://www.tiktok.com/@${creator.handle}`,
  author_name: creator.name,
  thumbnail_url: pictureAddress(film, 'cover'),
}))

const posts: readonly TikTokVideo[] = [...tiktokVideos, ...tiktokPhotos]

/** www.tiktok.com, its short links, and the hosts of its films, captions, music and pictures. */
export const tiktokSites = (media: Media): Site[] => [
  { hosts: ['www.tiktok.com'], answer: (request) => page(request, media) },
  {
    hosts: ['tiktok.com', 'm.tiktok.com'],
    answer: ({ url }) => redirectTo(`https://www.tiktok.com${url.pathname}`, 301),
  },
  { hosts: ['vm.tiktok.com', 'vt.tiktok.com'], answer: ({ url }) => shortLink(url.pathname.split('/')[1]) },
  { hosts: filmHosts, answer: (request) => film(request, media) },
  { hosts: ['*.tiktokcdn-eu.com'], answer: (request) => file(request, media, posts) },
]

/** A link to a removed video leads to the front page. */
function shortLink(code: string | undefined): SandboxAnswer {
  const post = posts.find(({ shortCode }) => shortCode === code)
  return redirectTo(post ? `${post.url}?_r=1&_t=ZS-sandbox` : 'https://www.tiktok.com/?_r=1', 301)
}

function page(request: SandboxRequest, media: Media): SandboxAnswer | undefined {
  const { pathname } = request.url
  if (pathname === '/' || pathname === '/login') return { status: 200, body: '<!DOCTYPE html><title>TikTok</title>' }
  if (pathname === '/api/creator/item_list/') return olderOf(request, media)
  if (pathname === '/oembed') return tiktokOembed(request)
  const [, first = '', second, id] = pathname.split('/')
  if (first === 't') return shortLink(second)
  const instead = gateOf(first === 'embed' ? (second ?? '') : first, request)
  if (instead) return instead
  const answer =
    first === 'embed' ? embedOf(second) : second === 'video' ? postOf(id, request, media) : profileOf(first, request)
  return answer && { ...answer, headers: { ...answer.headers, 'set-cookie': cookieOf(request) } }
}

const cookieOf = ({ exit }: SandboxRequest): string =>
  `${COOKIE}=${chainTokenOf(exit)}; Domain=.tiktok.com; Path=/; Secure; HttpOnly`

/** Fifteen videos of a creator from before an instant, newest first. */
function olderOf({ url, exit }: SandboxRequest, media: Media): SandboxAnswer {
  const before = Number(url.searchParams.get('cursor'))
  const creator = tiktokCreators.find(({ id }) => `MS4wLjABAAAA${id}` === url.searchParams.get('secUid'))
  const older = tiktokVideos
    .filter((video) => video.creator === creator && video.trouble === undefined)
    .filter(({ published }) => Date.parse(published) <= before)
    .sort((a, b) => b.published.localeCompare(a.published))
  const itemList = older.slice(0, 15).map((video) => ({
    ...itemOf(video, { media, token: chainTokenOf(exit) }),
    createTime: Date.parse(video.published) / 1_000,
  }))
  return { status: 200, body: { statusCode: 0, itemList, hasMorePrevious: older.length > 15, cursor: String(before) } }
}

/** Finds a video by its id. TikTok ignores the name before it. */
function postOf(id: string | undefined, request: SandboxRequest, media: Media): SandboxAnswer {
  const { url, exit } = request
  const post = posts.find((one) => one.id === id)
  switch (post?.trouble) {
    case 'rate_limited':
      return { status: 429, headers: { 'retry-after': '60' }, body: 'Too Many Requests' }
    case 'bot_check':
      return { status: 200, body: '' }
    case 'login_required':
      if (isSignedIn(request)) break
      return redirectTo(`/login?redirect_url=${encodeURIComponent(url.href)}`)
  }
  return { status: 200, page: videoPage(post, { media, token: chainTokenOf(exit) }, isSignedIn(request)) }
}

function profileOf(segment: string, request: SandboxRequest): SandboxAnswer | undefined {
  if (!segment.startsWith('@')) return undefined
  const creator = creatorOf(segment)
  if (creator?.profile === 'wall' && !isSignedIn(request)) return { status: 200, body: '' }
  return { status: 200, page: profilePage(creator, isSignedIn(request)) }
}

/** Replaces the page of a creator with a gate. */
function gateOf(segment: string, request: SandboxRequest): SandboxAnswer | undefined {
  const gate = creatorOf(segment)?.gate
  if (gate === 'proof_of_work') return hasProof(request) ? undefined : proofPage(request)
  return gate === 'newest_chrome' && isNewestChrome(request) ? { status: 200, body: UNEXPECTED } : undefined
}

/** Replaces the page for a browser with a TLS handshake that TikTok has begun to distrust (yt-dlp#17604). */
const UNEXPECTED = '<!DOCTYPE html><html><head><title>TikTok - Make Your Day</title></head><body></body></html>'

const isNewestChrome = ({ headers }: SandboxRequest): boolean =>
  /Chrome\/1[5-9]\d\./.test(String(headers['user-agent']))

const embedOf = (segment = ''): SandboxAnswer | undefined =>
  segment.startsWith('@') ? { status: 200, page: embedPage(creatorOf(segment), segment.slice(1)) } : undefined

const creatorOf = (segment: string) => tiktokCreators.find(({ handle }) => `@${handle}` === segment)
