import { type PlatformUrls, type Recognised, segmentsOf, video } from '../urls/recognised.ts'
import { clipPage } from './clip.ts'

const hosts = new Set([
  'youtube.com',
  'www.youtube.com',
  'm.youtube.com',
  'music.youtube.com',
  'consent.youtube.com',
  'youtube-nocookie.com',
  'www.youtube-nocookie.com',
  'youtubekids.com',
  'www.youtubekids.com',
  'youtu.be',
])

/** Pages with the id in the next segment of the path. */
const pagesWithId = new Set(['embed', 'v', 'e', 'shorts', 'live'])

/** As long as ids, and in their place: a playlist, and what a channel shows live. */
const lists = new Set(['videoseries', 'live_stream'])

/** Pages with the URL of the video in a parameter. */
const wrappers = new Map([
  ['attribution_link', 'u'],
  ['m', 'continue'],
])

export const youtubeUrls: PlatformUrls = { hosts, recognise, linkPage: clipPage, at }

function at(canonical: string, seconds: number): string {
  return `${canonical}&t=${seconds}s`
}

function recognise(url: URL): Recognised | undefined {
  const [page = '', id = ''] = segmentsOf(url)
  // a clip is a part of a video; only its page says of which
  if (page === 'clip' && /^[\w-]{10,64}$/.test(id))
    return { kind: 'short', id: null, canonical: `https://www.youtube.com/clip/${id}` }
  const parameter = wrappers.get(page)
  const wrapped = parameter && url.searchParams.get(parameter)
  if (!wrapped) return watched(url, page, id)
  const inner = URL.parse(wrapped, 'https://www.youtube.com')
  if (!inner || !hosts.has(inner.hostname)) return undefined
  const [innerPage = '', innerId] = segmentsOf(inner)
  return watched(inner, innerPage, innerId)
}

function watched(url: URL, page: string, next: string | undefined): Recognised | undefined {
  const id = url.hostname === 'youtu.be' ? page : pagesWithId.has(page) ? next : idOfWatch(url, page)
  if (!id || !/^[\w-]{11}$/.test(id) || lists.has(id)) return undefined
  return video(id, `https://www.youtube.com/watch?v=${id}`)
}

/** Copied from a page's source, `&` is `&amp;`. */
const idOfWatch = ({ search }: URL, page: string) =>
  page === 'watch' || page === 'watch_popup'
    ? new URLSearchParams(search.replaceAll(/&(?:amp;)+/g, '&')).get('v')
    : undefined
