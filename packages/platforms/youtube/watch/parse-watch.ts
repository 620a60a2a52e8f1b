import type { Shape } from '../../reading/shape.ts'
import type { VideoInfo } from '../../ytdlp/info.ts'
import { toInfo } from '../../ytdlp/to-info.ts'
import { countIn } from '../count-in.ts'
import { keywordsOf } from '../keywords-of.ts'
import { chaptersOf } from './chapters.ts'
import { textOf } from './text-of.ts'
import { type SignedTrack, tracksOf } from './tracks.ts'

/** The streams of a player's answer, with yt-dlp's names for the fields. */
function formatsOf(player: Shape): object[] {
  const lists = ['formats', 'adaptiveFormats'].flatMap((name) => player.optional('list', 'streamingData', name) ?? [])
  return lists.filter((format) => !format.has('drmFamilies')).map(toFormat)
}

function toFormat(format: Shape): object {
  const [, kind = '', subtype = '', codecs = ''] = MIME.exec(format.required('string', 'mimeType')) ?? []
  const [first, second] = codecs.split(', ')
  const bits = format.optional('count', 'averageBitrate') ?? format.optional('count', 'bitrate')
  return {
    format_id: format.required('text', 'itag'),
    ext: kind === 'audio' && subtype === 'mp4' ? 'm4a' : subtype,
    vcodec: kind === 'audio' ? 'none' : first,
    acodec: kind === 'audio' ? first : (second ?? 'none'),
    width: format.optional('count', 'width'),
    height: format.optional('count', 'height'),
    filesize: format.optional('count', 'contentLength'),
    tbr: bits === null ? null : bits / 1000,
    protocol: 'https',
  }
}

const MIME = /^(audio|video)\/([\w-]+); codecs="([^"]*)"/

/** The facts about a video from the player and the page around it. */
export type Watched = { info: VideoInfo; tracks: SignedTrack[] }

/**
 * Reads the answers of `appPlayer` and `next` as yt-dlp does: a field that is null here is null there too. If yt-dlp
 * would find a field elsewhere, it is required here, so that it is never reported as absent from the video.
 * @throws ShapeError
 */
export function parseWatch(id: string, player: Shape, next: Shape): Watched {
  const details = player.required('object', 'videoDetails')
  const contents = next.required('list', 'contents', 'twoColumnWatchNextResults', 'results', 'results', 'contents')
  const part = (name: string): Shape => (contents.find((one) => one.has(name)) ?? next).required('object', name)
  const primary = part('videoPrimaryInfoRenderer')
  const owner = part('videoSecondaryInfoRenderer').required('object', 'owner', 'videoOwnerRenderer')
  const author = textOf(owner, 'title') ?? details.required('string', 'author')
  const description = details.required('string', 'shortDescription')
  const duration = details.required('count', 'lengthSeconds')
  const tracks = tracksOf(player)
  const info = toInfo({
    id,
    display_id: id,
    title: details.required('string', 'title'),
    description,
    channel: author,
    uploader: author,
    channel_id: details.required('string', 'channelId'),
    uploader_id: handleOf(owner),
    duration: duration || null,
    view_count: details.required('count', 'viewCount'),
    like_count: likesOf(primary),
    comment_count: commentsOf(next),
    thumbnail: details.required('list', 'thumbnail', 'thumbnails').at(-1)?.required('string', 'url'),
    upload_date: dayOf(textOf(primary, 'dateText')),
    live_status: liveStatusOf(details),
    tags: keywordsOf(player),
    formats: formatsOf(player),
    captions: tracks.map((track) => ({ ...track, exts: ['json3'] })),
    chapters: chaptersOf(next, description, duration).map(({ start, title }) => ({ start_time: start, title })),
  })
  return { info, tracks }
}

function liveStatusOf(details: Shape): VideoInfo['liveStatus'] {
  const is = (name: string): boolean => details.optional('boolean', name) === true
  if (is('isPostLiveDvr')) return 'post_live'
  if (is('isLive')) return 'is_live'
  if (is('isUpcoming')) return 'is_upcoming'
  return is('isLiveContent') ? 'was_live' : 'not_live'
}

function handleOf(owner: Shape): string | null {
  const path = owner.optional('string', 'navigationEndpoint', 'browseEndpoint', 'canonicalBaseUrl')
  return /^\/(@[^/]+)$/.exec(path ?? '')?.[1] ?? null
}

const LIKE = [
  'segmentedLikeDislikeButtonViewModel',
  'likeButtonViewModel',
  'likeButtonViewModel',
  'toggleButtonViewModel',
  'toggleButtonViewModel',
  'defaultButtonViewModel',
  'buttonViewModel',
  'accessibilityText',
]

/** `like this video along with 618 other people`. Null if the number is hidden. */
function likesOf(primary: Shape): number | null {
  const buttons = primary.optional('list', 'videoActions', 'menuRenderer', 'topLevelButtons') ?? []
  const text = buttons.map((button) => button.optional('string', ...LIKE)).find((one) => one !== null)
  return countIn(text ?? null)
}

function commentsOf(next: Shape): number | null {
  const panels = (next.optional('list', 'engagementPanels') ?? []).flatMap((panel) =>
    panel.has('engagementPanelSectionListRenderer')
      ? [panel.required('object', 'engagementPanelSectionListRenderer')]
      : [],
  )
  const comments = panels.find(
    (panel) => panel.optional('string', 'panelIdentifier') === 'engagement-panel-comments-section',
  )
  return comments ? countIn(textOf(comments, 'header', 'engagementPanelTitleHeaderRenderer', 'contextualInfo')) : null
}

/** `20260105` for `Jan 5, 2026` and `Premiered Jan 5, 2026`. */
function dayOf(text: string | null): string | null {
  const [date] = /[A-Z][a-z]{2} \d{1,2}, \d{4}$/.exec(text ?? '') ?? []
  const at = date === undefined ? Number.NaN : Date.parse(`${date} UTC`)
  return Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
}
