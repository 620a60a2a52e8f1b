import { addressOf } from '../address-of.ts'
import { cuesOf } from '../films.ts'
import type { Media } from '../media.ts'
import { oembedOf } from '../oembed.ts'
import { fileOf, redirectTo, type SandboxAnswer, type SandboxRequest, type Site } from '../site.ts'
import { type YouTubeVideo, youtubeVideos } from './catalogue.ts'
import { clipPage, clippedAt } from './clip-page.ts'
import { streamsOf } from './formats.ts'
import { browsed, resolved } from './lists.ts'
import { playerResponse } from './player.ts'
import { fromToken, searchResponse } from './search.ts'
import { shelfVideos } from './shelf.ts'
import { timedText } from './timedtext.ts'
import { isTokenFor } from './tokens.ts'
import { watchPage, ytcfg } from './watch-page.ts'

/** `www.youtube.com/oembed`. It has no bot wall. */
const youtubeOembed = oembedOf(
  youtubeVideos,
  ({ id, title, creator }) => ({
    title,
    author_name: creator.name,
    author_url: `https://www.youtube.com/@${creator.handle}`,
    thumbnail_url: `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
  }),
  ['bot_check'],
)

/** www.youtube.com with its API, googlevideo.com and ytimg.com. */
export const youtubeSites = (media: Media): Site[] => [
  { hosts: ['www.youtube.com', 'm.youtube.com', 'youtube.com'], answer: (request) => page(request, media) },
  { hosts: ['youtu.be'], answer: ({ url }) => redirectTo(`https://www.youtube.com/watch?v=${url.pathname.slice(1)}`) },
  { hosts: ['*.googlevideo.com'], answer: (request) => stream(request, media) },
  { hosts: ['i.ytimg.com'], answer: ({ url }) => thumbnail(url, media) },
]

const find = (id: unknown): YouTubeVideo | undefined =>
  [...youtubeVideos, ...shelfVideos].find((video) => video.id === id)
const tooMany: SandboxAnswer = { status: 429, headers: { 'retry-after': '60' }, body: 'Too Many Requests' }

/** The answer for an unknown id: the same as for a deleted video. */
const unknown = (id: string): YouTubeVideo => ({ ...(youtubeVideos[0] as YouTubeVideo), id, trouble: 'deleted' })

function page(request: SandboxRequest, media: Media): SandboxAnswer | undefined {
  const { url, method } = request
  const address = addressOf(request.exit)
  switch (url.pathname) {
    case '/watch': {
      const video = find(url.searchParams.get('v')) ?? unknown(url.searchParams.get('v') ?? '')
      return video.trouble === 'rate_limited' ? tooMany : { status: 200, page: watchPage(video, { media, address }) }
    }
    case '/youtubei/v1/player':
      return method === 'POST' ? player(request, media, address) : undefined
    case '/youtubei/v1/next':
      return method === 'POST' ? next(request, media, address) : undefined
    case '/youtubei/v1/search':
      return method === 'POST' ? search(request) : undefined
    case '/youtubei/v1/browse':
      return method === 'POST' ? found(browsed(asked(request))) : undefined
    case '/youtubei/v1/navigation/resolve_url':
      return method === 'POST' ? found(resolved(asked(request).url ?? '')) : undefined
    case '/api/timedtext':
      return captions(request)
    case '/oembed':
      return youtubeOembed(request)
    case '/iframe_api':
      return script(
        "var scriptUrl = 'https:\\/\\/www.youtube.com\\/s\\/player\\/5a4db0c5\\/www-widgetapi.vflset\\/www-widgetapi.js';",
      )
  }
  const clipped = clippedAt(url.pathname)
  if (clipped) return { status: 200, page: clipPage(clipped, { media, address }) }
  if (url.pathname.startsWith('/s/player/'))
    return script('var _yt_player={};(function(g){g.sts={signatureTimestamp:20640};})(_yt_player);')
  if (url.pathname === '/' || url.pathname.startsWith('/embed/')) return settings
  return undefined
}

const script = (body: string): SandboxAnswer => fileOf({ type: 'text/javascript', body })

const settings: SandboxAnswer = {
  status: 200,
  body: `<!DOCTYPE html><html><body><script>ytcfg.set(${JSON.stringify(ytcfg)});</script></body></html>`,
}

type Asked = {
  videoId?: string
  query?: string
  url?: string
  browseId?: string
  params?: string
  continuation?: string
  context?: { client?: { clientName?: string } }
  serviceIntegrityDimensions?: { poToken?: string }
}

const asked = ({ body }: SandboxRequest): Asked => JSON.parse(body.toString() || '{}')

function player(request: SandboxRequest, media: Media, address: string): SandboxAnswer {
  const { videoId = '', context, serviceIntegrityDimensions } = asked(request)
  const { clientName = '' } = context?.client ?? {}
  const client = clientName.startsWith('WEB') ? 'web' : 'app'
  const proven = isTokenFor(serviceIntegrityDimensions?.poToken, videoId, request.exit)
  const video = seenBy(clientName, pastBotWall(find(videoId) ?? unknown(videoId), proven))
  if (video.trouble === 'rate_limited') return tooMany
  return {
    status: 200,
    body: chosen(playerResponse(video, { client, media, address }), request.url.searchParams.get('$fields')),
  }
}

/** The bot wall admits a client that has a proof token of the player. */
const pastBotWall = (video: YouTubeVideo, proven: boolean): YouTubeVideo => {
  const { trouble, ...rest } = video
  return trouble === 'bot_check' && proven ? rest : video
}

/** The bot check of other clients does not apply to the Android app. */
function seenBy(clientName: string, video: YouTubeVideo): YouTubeVideo {
  const { trouble, ...rest } = video
  return trouble === 'bot_check_but_android' && clientName === 'ANDROID' ? rest : video
}

/** `$fields` names the requested parts of an answer, as in all of Google's interfaces. */
function chosen(answer: object, fields: string | null): object {
  if (fields === null) return answer
  const names = fields.split(',')
  return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)))
}

function next(request: SandboxRequest, media: Media, address: string): SandboxAnswer {
  const video = find(asked(request).videoId) ?? unknown('')
  const { initialData } = watchPage(video, { media, address }).data as { initialData: object }
  return { status: 200, body: initialData }
}

/** A missing list is answered with JSON and its status. */
const found = (body: object | undefined): SandboxAnswer =>
  body ? { status: 200, body } : { status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } }

function search(request: SandboxRequest): SandboxAnswer {
  const { query = '', continuation } = asked(request)
  const wanted = continuation === undefined ? { query, from: 0 } : fromToken(continuation)
  return { status: 200, body: searchResponse(wanted.query, wanted.from) }
}

const hasExpired = ({ searchParams }: URL): boolean => Number(searchParams.get('expire')) * 1_000 < Date.now()

function captions({ url, exit }: SandboxRequest): SandboxAnswer {
  const { searchParams: query } = url
  const video = find(query.get('v'))
  const automatic = query.get('kind') === 'asr'
  const track = video?.captions.find(
    (one) => one.language === query.get('lang') && (one.kind === 'automatic') === automatic,
  )
  if (!track || !query.has('signature') || hasExpired(url)) return { status: 404 }
  // Without a proof token YouTube answers 200 with an empty body.
  const proven = video && isTokenFor(query.get('pot') ?? undefined, video.id, exit)
  if (video?.trouble === 'captions_need_token' || (video?.trouble === 'captions_withheld' && !proven))
    return fileOf({ type: 'text/html', body: '' })
  const text = timedText(translated(track, video, query.get('tlang')), query.get('fmt') ?? '')
  return text ? fileOf(text) : { status: 400 }
}

type Track = YouTubeVideo['captions'][number]

function translated(track: Track, video: YouTubeVideo | undefined, language: string | null): Track {
  if (!video || (language !== 'de' && language !== 'es' && language !== 'en')) return track
  return { ...track, cues: cuesOf(video.film, language) }
}

/** Signed addresses answer only the exit in their signature. */
function stream({ url, exit }: SandboxRequest, media: Media): SandboxAnswer | undefined {
  if (url.hostname === 'manifest.googlevideo.com') return liveList(url)
  const { searchParams: query } = url
  const video = find(query.get('id')?.replace(/^o-/, ''))
  const language = query.get('xtags')?.replace('lang=', '')
  if (url.pathname !== '/videoplayback' || !video) return undefined
  if (!query.has('sig') || hasExpired(url) || query.get('ip') !== addressOf(exit)) return { status: 403 }
  const found = streamsOf(video, media).find(
    (one) => one.itag === Number(query.get('itag')) && (language === undefined || one.language === language),
  )
  return found && fileOf(found.file)
}

/** A live stream's list of qualities. The streams themselves would never end, so there are none. */
const liveList = (url: URL): SandboxAnswer =>
  fileOf({
    type: 'application/vnd.apple.mpegurl',
    body: `#EXTM3U
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=290288,CODECS="mp4a.40.5,avc1.4d400c",RESOLUTION=256x144,FRAME-RATE=30,CLOSED-CAPTIONS=NONE
${url.href.replace('hls_variant', 'hls_playlist').replace('/file/', '/itag/91/file/')}
`,
  })

function thumbnail(url: URL, media: Media): SandboxAnswer | undefined {
  const [, , id] = url.pathname.split('/')
  const video = find(id)
  return video && url.pathname.endsWith('.jpg') ? fileOf(media[video.film].thumbnail) : undefined
}
