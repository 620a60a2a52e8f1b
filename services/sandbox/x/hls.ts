import type { CaptionTrack } from '../catalogue.ts'
import { type Cue, secondsOf, timestamp } from '../films.ts'
import type { Media } from '../media.ts'
import { fileOf, type SandboxAnswer } from '../site.ts'
import { folderOf, millisOf, type PostVideo, sizes } from './post-videos.ts'

const PIECES = 3

/** The HLS answers for a video: the master playlist, the media playlists and the segments. */
export function hlsAnswer(video: PostVideo, path: string, media: Media): SandboxAnswer | undefined {
  const rest = path.slice(folderOf(video).length)
  if (/^\/pl\/[\w-]+\.m3u8$/.test(rest)) return list(masterList(video))
  const track = /^\/pl\/(avc1\/\d+x\d+|mp4a\/\d+)\/\w+\.m3u8$/.exec(rest)?.[1]
  if (track !== undefined) return list(pieceList(video, track))
  const [, kind, from = ''] = /^\/(vid\/avc1|aud\/mp4a)\/(\d+)\/\d+\/\w+\/\w+\.(?:mp4|m4s)$/.exec(rest) ?? []
  if (kind === undefined) return undefined
  const { body } = kind === 'aud/mp4a' ? media[video.film].m4a : media[video.film].picture
  const part = rest.endsWith('.mp4') ? 0 : 1 + Number(from) / Math.ceil(millisOf(video) / PIECES)
  const piece = piecesOf(body)[part]
  return piece && fileOf({ type: 'video/mp4', body: piece })
}

const list = (lines: string[]): SandboxAnswer =>
  fileOf({ type: 'application/vnd.apple.mpegurl', body: `${lines.join('\n')}\n` })

function masterList(video: PostVideo): string[] {
  const folder = folderOf(video)
  const sounds = sizes.map(
    ({ sound }) =>
      `#EXT-X-MEDIA:NAME="Audio",TYPE=AUDIO,GROUP-ID="audio-${sound}",AUTOSELECT=YES,URI="${folder}/pl/mp4a/${sound}/pBgc9KGv2KzURAF1.m3u8"`,
  )
  const { captions } = video.post
  const subtitles = captions.map(
    ({ language, label }) =>
      `#EXT-X-MEDIA:NAME="${label}",TYPE=SUBTITLES,GROUP-ID="subs",LANGUAGE="${language}",AUTOSELECT=NO,FORCED=NO,URI="/subtitles${folder}/0/${language}.m3u8"`,
  )
  const group = captions.length > 0 ? ',SUBTITLES="subs"' : ''
  const pictures = sizes.flatMap(({ size, bitrate, sound }) => [
    `#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=${bitrate},BANDWIDTH=${bitrate + sound},RESOLUTION=${size},CODECS="mp4a.40.2,avc1.4D401E",AUDIO="audio-${sound}"${group}`,
    `${folder}/pl/avc1/${size}/lisW6eAvLjFSXCiU.m3u8`,
  ])
  return ['#EXTM3U', '#EXT-X-VERSION:6', '#EXT-X-INDEPENDENT-SEGMENTS', ...sounds, ...subtitles, '', ...pictures]
}

function pieceList(video: PostVideo, track: string): string[] {
  const [codec = '', size] = track.split('/')
  const folder = `${folderOf(video)}/${codec === 'mp4a' ? 'aud' : 'vid'}/${codec}`
  const length = Math.ceil(millisOf(video) / PIECES)
  const pieces = Array.from({ length: PIECES }, (_, index) => {
    const [from, to] = [index * length, Math.min((index + 1) * length, millisOf(video))]
    return [`#EXTINF:${(to - from) / 1_000},`, `${folder}/${from}/${to}/${size}/gap6eNvJGCbYTOWH.m4s`]
  })
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXT-X-TARGETDURATION:${Math.ceil(length / 1_000)}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-MAP:URI="${folder}/0/0/${size}/gap6eNvJGCbYTOWH.mp4"`,
    ...pieces.flat(),
    '#EXT-X-ENDLIST',
  ]
}

/**
 * The segments of a file: the part before sound or picture, then equal parts. Joined in order they are the file again.
 */
function piecesOf(file: Buffer): Buffer[] {
  const start = file.indexOf('mdat') - 4
  const length = Math.ceil((file.length - start) / PIECES)
  const parts = Array.from({ length: PIECES }, (_, index) =>
    file.subarray(start + index * length, start + (index + 1) * length),
  )
  return [file.subarray(0, start), ...parts]
}

/** A caption track: a playlist with one segment, and that segment. */
export function subtitlesAnswer(video: PostVideo, path: string): SandboxAnswer | undefined {
  const [, language, ending] = /\/0\/(\w+)\.(m3u8|vtt)$/.exec(path) ?? []
  const track = video.post.captions.find((one) => one.language === language)
  if (!track) return undefined
  const seconds = secondsOf(video.film)
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXT-X-TARGETDURATION:${Math.ceil(seconds)}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXTINF:${seconds},`,
    path.replace(/m3u8$/, 'vtt'),
    '#EXT-X-ENDLIST',
  ]
  return ending === 'm3u8' ? list(lines) : fileOf({ type: 'text/vtt', body: vtt(track) })
}

const vtt = ({ cues }: CaptionTrack): string =>
  ['WEBVTT', 'X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000', ...cues.map((cue) => `\n${cueText(cue)}`), ''].join('\n')

const cueText = ({ start, end, text }: Cue): string =>
  `${timestamp(start)} --> ${timestamp(end)}\n${text.replaceAll('&', '&amp;')}`
