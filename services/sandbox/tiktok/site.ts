import type { Media } from '../media.ts'
import type { SandboxAnswer, SandboxRequest, Site } from '../site.ts'
import { type TikTokVideo, tiktokCreators, tiktokPhotos, tiktokVideos } from './catalogue.ts'
import { COOKIE, chainTokenOf, file, film, filmHosts } from './cdn.ts'
import { tiktokOembed } from './oembed.ts'
import { embedPage, profilePage, videoPage } from './page.ts'

const posts: readonly TikTokVideo[] = [...tiktokVideos, ...tiktokPhotos]

/** www.tiktok.com, its short links, and the hosts of its films, captions, music and pictures. */
export const tiktokSites = (media: Media): Site[] => [
  { hosts: ['www.tiktok.com'], answer: (request) => page(request, media) },
  { hosts: ['tiktok.com', 'm.tiktok.com'], answer: ({ url }) => moved(`https://www.tiktok.com${url.pathname}`) },
  { hosts: ['vm.tiktok.com', 'vt.tiktok.com'], answer: ({ url }) => shortLink(url.pathname.split('/')[1]) },
  { hosts: filmHosts, answer: (request) => film(request, media) },
  { hosts: ['*.tiktokcdn-eu.com'], answer: (request) => file(request, media, posts) },
]

const moved = (location: string): SandboxAnswer => ({ status: 301, headers: { location } })

/** A link to a removed video leads to the front page. */
function shortLink(code: string | undefined): SandboxAnswer {
  const post = posts.find(({ shortCode }) => shortCode === code)
  return moved(post ? `${post.url}?_r=1&_t=ZS-sandbox` : 'https://www.tiktok.com/?_r=1')
}

function page(request: SandboxRequest, media: Media): SandboxAnswer | undefined {
  const { pathname } = request.url
  if (pathname === '/' || pathname === '/login') return { status: 200, body: '<!DOCTYPE html><title>TikTok</title>' }
  if (pathname === '/oembed') return tiktokOembed(request)
  const [, first = '', second, id] = pathname.split('/')
  if (first === 't') return shortLink(second)
  const answer =
    first === 'embed' ? embedOf(second) : second === 'video' ? postOf(id, request, media) : profileOf(first)
  return answer && { ...answer, headers: { ...answer.headers, 'set-cookie': cookieOf(request) } }
}

const cookieOf = ({ exit }: SandboxRequest): string =>
  `${COOKIE}=${chainTokenOf(exit)}; Domain=.tiktok.com; Path=/; Secure; HttpOnly`

/** Finds a video by its id. TikTok ignores the name before it. */
function postOf(id: string | undefined, { url, exit }: SandboxRequest, media: Media): SandboxAnswer {
  const post = posts.find((one) => one.id === id)
  switch (post?.trouble) {
    case 'rate_limited':
      return { status: 429, headers: { 'retry-after': '60' }, body: 'Too Many Requests' }
    case 'bot_check':
      return { status: 200, body: '' }
    case 'login_required':
      return { status: 302, headers: { location: `/login?redirect_url=${encodeURIComponent(url.href)}` } }
    default:
      return { status: 200, page: videoPage(post, { media, token: chainTokenOf(exit) }) }
  }
}

function profileOf(segment: string): SandboxAnswer | undefined {
  if (!segment.startsWith('@')) return undefined
  const creator = creatorOf(segment)
  return creator?.profile === 'wall' ? { status: 200, body: '' } : { status: 200, page: profilePage(creator) }
}

const embedOf = (segment = ''): SandboxAnswer | undefined =>
  segment.startsWith('@') ? { status: 200, page: embedPage(creatorOf(segment), segment.slice(1)) } : undefined

const creatorOf = (segment: string) => tiktokCreators.find(({ handle }) => `@${handle}` === segment)
