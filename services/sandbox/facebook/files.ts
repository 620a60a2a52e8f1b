import type { CaptionTrack } from '../catalogue.ts'
import { type Cue, secondsOf, timestamp } from '../films.ts'
import type { Media, MediaKind } from '../media.ts'
import { fileOf, type SandboxAnswer } from '../site.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'

const VIDEO_HOST = 'video-sbx1-1.xx.fbcdn.net'
const PICTURE_HOST = 'scontent-sbx1-1.xx.fbcdn.net'
const VALID_SECONDS = 21_600

/** The files of a video, and which form of the film each of them contains. */
const files: Record<string, MediaKind> = { sd: 'film', hd: 'film', v: 'picture', a: 'm4a' }
export type FileName = 'sd' | 'hd' | 'v' | 'a'

export const fileUrl = ({ id }: FacebookVideo, name: FileName): string =>
  signed(VIDEO_HOST, `/o1/v/t2/f2/m69/${id}_${name}.mp4`)

export const pictureUrl = ({ id }: FacebookVideo): string => signed(PICTURE_HOST, `/v/t15.5256-10/${id}_n.jpg`)

export const captionsUrl = ({ id }: FacebookVideo, { language, kind }: CaptionTrack): string =>
  signed(PICTURE_HOST, `/v/t39.2093-6/${id}_${language}_${kind}_n.srt`)

/** `oe` is the expiry of the address, in hexadecimal seconds. */
function signed(host: string, path: string): string {
  const query = new URLSearchParams({
    oh: '00_AfIsandbox',
    oe: (Math.floor(Date.now() / 1_000) + VALID_SECONDS).toString(16).toUpperCase(),
  })
  return `https://${host}${path}?${query}`
}

/** fbcdn.net: films, pictures and captions, until their addresses expire. */
export function fbcdnFile({ pathname, searchParams }: URL, media: Media): SandboxAnswer | undefined {
  const isGood = searchParams.has('oh') && Number.parseInt(searchParams.get('oe') ?? '0', 16) * 1_000 > Date.now()
  if (!isGood) return { status: 403, headers: { 'content-type': 'text/plain' }, body: 'URL signature expired' }
  const [, id, rest = ''] = /\/(\d+)_(\w+)\.(?:mp4|jpg|srt)$/.exec(pathname) ?? []
  const video = facebookVideos.find((one) => one.id === id)
  if (!video) return undefined
  if (pathname.endsWith('.jpg')) return fileOf(media[video.film].thumbnail)
  if (pathname.endsWith('.srt')) return captions(video, rest)
  const kind = files[rest]
  return kind && fileOf(media[video.film][kind])
}

function captions(video: FacebookVideo, name: string): SandboxAnswer | undefined {
  const track = video.captions.find(({ language, kind }) => name === `${language}_${kind}_n`)
  return track && fileOf({ type: 'application/x-subrip', body: srt(track) })
}

const srt = ({ cues }: CaptionTrack): string => cues.map((cue, index) => `${index + 1}\n${cueText(cue)}\n`).join('\n')

const cueText = ({ start, end, text }: Cue): string => `${clock(start)} --> ${clock(end)}\n${inLines(text)}`

/** Facebook breaks lines after about thirty letters. */
const inLines = (text: string): string => text.replace(/(.{24,}?) /g, '$1\n')

const clock = (seconds: number): string => timestamp(seconds).replace('.', ',')

/** The manifest of a video's sound and picture, each in a file of its own. */
export function dashManifest(video: FacebookVideo, media: Media): string {
  const seconds = secondsOf(video.film)
  const representation = (name: FileName, mimeType: string, kind: string) => {
    const bandwidth = Math.round((media[video.film][files[name] as MediaKind].body.length * 8) / seconds)
    const url = fileUrl(video, name).replaceAll('&', '&amp;')
    return `<Representation id="${video.id}${name}" bandwidth="${bandwidth}" mimeType="${mimeType}" ${kind} FBDefaultQuality="1"><BaseURL>${url}</BaseURL><SegmentBase indexRange="818-1401" timescale="11988" FBFirstSegmentRange="1402-144200"><Initialization range="0-817"/></SegmentBase></Representation>`
  }
  const picture = representation(
    'v',
    'video/mp4',
    'codecs="avc1.42001E" width="320" height="180" FBQualityLabel="180p"',
  )
  const sound = representation('a', 'audio/mp4', 'codecs="mp4a.40.2" audioSamplingRate="16000"')
  return `<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" minBufferTime="PT2S" type="static" mediaPresentationDuration="PT${seconds}S"><Period id="0" duration="PT${seconds}S"><AdaptationSet id="0" contentType="video" subsegmentAlignment="true">${picture}</AdaptationSet><AdaptationSet id="1" contentType="audio" subsegmentAlignment="true">${sound}</AdaptationSet></Period></MPD>
`
}
