import { StepError } from '#packages/foundation/errors/step-error.ts'
import { jsonOf, unknownForm } from '../reading/site.ts'
import {
  type LinkPage,
  page as named,
  type PlatformUrls,
  type Recognised,
  redirect,
  segmentsOf,
  video,
} from '../urls/recognised.ts'

/** The page of a clip. With the cookie, YouTube does not ask visitors from Europe for consent first. */
const clipPage: LinkPage = { headers: { cookie: 'SOCS=CAI' }, targetOf: videoOfClip }

type ClipData = { contents?: unknown; currentVideoEndpoint?: { watchEndpoint?: { videoId?: unknown } } }

/** The page's data: in a separate script, or assigned to a variable. YouTube sends both forms. */
const marks = [/<script\b[^<>]{0,200} id=["']yt-initial-data["'][^<>]{0,200}>/, /\bytInitialData["'\]]{0,2} ?= ?/]

/** The watch page of the video that a clip was cut from. */
function videoOfClip(html: string): string | undefined {
  const mark = marks.map((one) => one.exec(html)).find((found) => found !== null)
  const from = mark === undefined ? html.length : mark.index + mark[0].length
  const script = html.slice(from, html.indexOf('</script', from))
  const data = jsonOf(script.trim().replace(/;$/, '')) as ClipData | undefined
  if (!data) throw unknownForm('YouTube')
  // YouTube sometimes sends a page without the parts that matter
  if (!data.contents && !data.currentVideoEndpoint) throw new StepError('upstream_error', { transient: true })
  const id = data.currentVideoEndpoint?.watchEndpoint?.videoId
  return typeof id === 'string' && /^[\w-]{11}$/.test(id) ? `https://www.youtube.com/watch?v=${id}` : undefined
}

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
  'youtube.googleapis.com',
  'youtu.be',
])

/** Pages with the id in the next segment of the path. */
const pagesWithId = new Set(['embed', 'v', 'vi', 'e', 'shorts', 'live', 'watch', 'video'])

/** Path segments as long as ids, in their place: a playlist, and what a channel shows live. */
const lists = new Set(['videoseries', 'live_stream'])

/** Pages with the URL of the video in a parameter. */
const wrappers = new Map([
  ['attribution_link', 'u'],
  ['m', 'continue'],
])

const domains = ['youtube.com', 'youtube-nocookie.com', 'youtubekids.com'] as const

export const youtubeUrls: PlatformUrls = { hosts, domains, recognise, linkPage: clipPage, at }

function at(canonical: string, seconds: number): string {
  return `${canonical}&t=${seconds}s`
}

function recognise(url: URL): Recognised | undefined {
  const [page = '', id = ''] = segmentsOf(url)
  // a clip is a part of a video; only its page names the video
  if (page === 'clip' && /^[\w-]{10,64}$/.test(id))
    return { kind: 'short', id: null, canonical: `https://www.youtube.com/clip/${id}` }
  if (page === 'redirect') return redirect(url.searchParams.get('q'))
  const parameter = wrappers.get(page)
  const wrapped = parameter && url.searchParams.get(parameter)
  if (!wrapped) return watched(url, page, id) ?? namedPage(url, page)
  const inner = URL.parse(wrapped, 'https://www.youtube.com')
  if (!inner || !hosts.has(inner.hostname)) return undefined
  const [innerPage = '', innerId] = segmentsOf(inner)
  return watched(inner, innerPage, innerId)
}

function watched(url: URL, page: string, next: string | undefined): Recognised | undefined {
  const id = url.hostname === 'youtu.be' ? page : (idOfWatch(url, page) ?? (pagesWithId.has(page) ? next : undefined))
  if (!id || !/^[\w-]{11}$/.test(id) || lists.has(id)) return undefined
  return video(id, `https://www.youtube.com/watch?v=${id}`)
}

/** In a page's source, `&` is `&amp;`. */
function idOfWatch({ search }: URL, page: string): string | null {
  if (page !== 'watch' && page !== 'watch_popup' && page !== '') return null
  const query = new URLSearchParams(search.replaceAll(/&(?:amp;)+/g, '&'))
  return query.get('v') ?? query.get('vi')
}

function namedPage({ searchParams, pathname }: URL, page: string): Recognised | undefined {
  if (page === 'playlist' || page === 'show' || (searchParams.has('list') && !searchParams.has('v')))
    return named('a playlist')
  return /^\/(?:@[^/]+|channel|c|user)(?:\/|$)/.test(pathname) ? named('a channel') : undefined
}
