import type { Shape } from '../../reading/shape.ts'

/** The streams of a player's answer, with yt-dlp's names for the fields. */
export function formatsOf(player: Shape): object[] {
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
