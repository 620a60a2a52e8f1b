import type { Media } from '../media.ts'
import { oembedOf } from '../oembed.ts'
import { fileOf, redirectTo, type SandboxAnswer, type SandboxRequest, type Site } from '../site.ts'
import { linkToNews, textPost, xVideos } from './catalogue.ts'
import { hlsAnswer, subtitlesAnswer } from './hls.ts'
import { findPost, graphqlAnswer, shortCodeOf, syndicationAnswer } from './post-answers.ts'
import { PICTURE_HOST, VIDEO_HOST, videoAt } from './post-videos.ts'

/** `publish.x.com/oembed`: the words of a post are in its HTML only. */
const xOembed = oembedOf(xVideos, ({ id, url, description, creator, published }) => {
  const media = `<a href="https://t.co/${shortCodeOf(id)}">pic.twitter.com/${shortCodeOf(id)}</a>`
  const words = `${description.replaceAll('&', '&amp;')} ${media}`
  const date = new Date(published).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  const signed = `&mdash; ${creator.name} (@${creator.handle}) <a href="${url}?ref_src=twsrc%5Etfw">${date}</a>`
  return {
    author_name: creator.name,
    author_url: `https://x.com/${creator.handle}`,
    html: `<blockquote class="twitter-tweet"><p lang="en" dir="ltr">${words}</p>${signed}</blockquote>\n`,
  }
})

const GUEST_TOKEN = '2039999999999999999'
const oldHosts = ['twitter.com', 'www.twitter.com', 'm.twitter.com', 'mobile.twitter.com', 'mobile.x.com', 'www.x.com']

/** x.com with its API for guests, the interface of embedded posts, short links, media and pictures. */
export const xSites = (media: Media): Site[] => [
  { hosts: ['x.com'], answer: page },
  { hosts: oldHosts, answer: ({ url }) => redirectTo(`https://x.com${url.pathname}${url.search}`, 301) },
  { hosts: ['api.x.com'], answer: activation },
  { hosts: ['cdn.syndication.twimg.com'], answer: ({ url }) => embeddedPost(url) },
  {
    hosts: ['publish.x.com'],
    answer: (request) => (request.url.pathname === '/oembed' ? xOembed(request) : undefined),
  },
  { hosts: ['t.co'], answer: shortLink },
  { hosts: [VIDEO_HOST], answer: ({ url }) => videoFile(url, media) },
  { hosts: [PICTURE_HOST], answer: ({ url }) => picture(url, media) },
]

const tooMany: SandboxAnswer = { status: 429, headers: { 'x-rate-limit-remaining': '0' }, body: 'Rate limit exceeded' }
const forbidden: SandboxAnswer = { status: 403, body: { errors: [{ code: 200, message: 'Forbidden.' }] } }

/** Every other page is a program that calls the API. It has no data of the post. */
function page(request: SandboxRequest): SandboxAnswer | undefined {
  const { pathname } = request.url
  if (/^\/i\/api\/graphql\/[\w-]+\/TweetResultByRestId$/.test(pathname)) return tweetResult(request)
  if (/^\/(?:i\/web|\w+)\/status\/\d+/.test(pathname))
    return { status: 200, body: '<!DOCTYPE html><html><head><title>X</title></head><body></body></html>' }
  return undefined
}

function activation({ method, url, headers }: SandboxRequest): SandboxAnswer | undefined {
  if (method !== 'POST' || url.pathname !== '/1.1/guest/activate.json') return undefined
  return isBearer(headers) ? { status: 200, body: { guest_token: GUEST_TOKEN } } : forbidden
}

const isBearer = ({ authorization }: SandboxRequest['headers']): boolean =>
  String(authorization ?? '').startsWith('Bearer ')

function tweetResult({ url, headers }: SandboxRequest): SandboxAnswer {
  if (!isBearer(headers) || headers['x-guest-token'] !== GUEST_TOKEN) return forbidden
  const { tweetId } = JSON.parse(url.searchParams.get('variables') ?? '{}') as { tweetId?: string }
  const post = findPost(tweetId ?? null)
  return post?.trouble === 'rate_limited' ? tooMany : { status: 200, body: graphqlAnswer(post) }
}

function embeddedPost({ pathname, searchParams }: URL): SandboxAnswer | undefined {
  if (pathname !== '/tweet-result' || !searchParams.get('token')) return undefined
  const post = findPost(searchParams.get('id'))
  if (post?.trouble === 'rate_limited') return tooMany
  const body = post && syndicationAnswer(post)
  return body && { status: 200, body }
}

/** Browsers get a page that leads on; programs are redirected. */
function shortLink({ url, headers }: SandboxRequest): SandboxAnswer | undefined {
  const location = url.href === linkToNews.url ? linkToNews.leadsTo : placeOf(url.pathname.slice(1))
  if (location === undefined) return undefined
  if (!String(headers['user-agent']).startsWith('Mozilla/')) return redirectTo(location, 301)
  return {
    status: 200,
    body: `<head><noscript><META http-equiv="refresh" content="0;URL=${location}"></noscript><title>${location}</title></head><script>window.opener = null; location.replace("${location.replaceAll('/', '\\/')}")</script>`,
  }
}

function placeOf(shortCode: string): string | undefined {
  const post = [...xVideos, textPost].find(({ id }) => shortCodeOf(id) === shortCode)
  return post?.silent ? post.url : post && `${post.url}/video/1`
}

/** No address is signed. */
function videoFile(url: URL, media: Media): SandboxAnswer | undefined {
  const video = videoAt(url)
  if (!video) return undefined
  const { pathname: path } = url
  if (path.startsWith('/subtitles/')) return subtitlesAnswer(video, path)
  return /\/vid\/avc1\/\d+x\d+\/\w+\.mp4$/.test(path) ? fileOf(media[video.film].film) : hlsAnswer(video, path, media)
}

function picture(url: URL, media: Media): SandboxAnswer | undefined {
  const video = videoAt(url)
  return video && fileOf(media[video.film].thumbnail)
}
