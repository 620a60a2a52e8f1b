import { dirname } from 'node:path'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { ffprobe } from './ffmpeg.ts'
import type { Launcher } from './launcher.ts'
import { measureDuration } from './measure-duration.ts'
import { CONTAINERS, nameContent } from './name-content.ts'
import { unreadable } from './unreadable.ts'

export type MediaStream = {
  kind: 'audio' | 'video' | 'subtitle'
  /** Position among the streams of its kind, as in ffmpeg's `0:s:INDEX`. */
  index: number
  codec: string
  /** The language as the container writes it, usually ISO 639-2. Undefined if it names none. */
  language: string | undefined
  default: boolean
  /** Whether it has only the foreign parts of the film. */
  forced: boolean
  /** Whether it describes the picture, for people who cannot see it. */
  describes: boolean
  /** Whether it is a spoken commentary on the film. */
  comments: boolean
  /** 0 for a stream without sound. */
  channels: number
  /** Pixels; 0 for a stream without a picture. */
  width: number
  height: number
}

export type MediaInfo = {
  /** `mp4`, `matroska`, `mp3`, `wav`, `ogg`, `flac` or `aac`. */
  container: string
  seconds: number
  streams: MediaStream[]
  /** Tags of the container, names in lower case. */
  tags: Record<string, string>
}

export type ProbeOptions = {
  launcher: Launcher
  signal: AbortSignal
  /** Wall-clock limit of each child process, milliseconds. */
  timeoutMs?: number
  /** Longest media accepted, seconds. */
  maxSeconds?: number
  /** Largest picture accepted, width × height. */
  maxPixels?: number
}

export const DEFAULT_MAX_SECONDS = 2 * 60 * 60
const DEFAULT_MAX_PIXELS = 8192 * 4320
const MAX_STREAMS = 64

/** Containers with a duration that ffprobe guesses from the bit rate: wrong if the bit rate varies. */
const guessesDuration = new Set(['mp3', 'aac'])

/**
 * Describes a local media file by its content.
 * @throws StepError `media_unsupported` if it is no readable audio or video, `media_too_long`; transient
 *   `internal_error` if it took too long; the signal's reason when aborted
 */
export async function probe(path: string, options: ProbeOptions): Promise<MediaInfo> {
  const {
    launcher,
    signal,
    timeoutMs = 30_000,
    maxSeconds = DEFAULT_MAX_SECONDS,
    maxPixels = DEFAULT_MAX_PIXELS,
  } = options
  const run = { launcher, cwd: dirname(path), signal, timeoutMs }
  const found = await describe(path, run)
  const streams = streamsOf(found.streams ?? [])
  const watchable = streams.filter(({ kind }) => kind !== 'subtitle')
  if (watchable.length === 0)
    throw new StepError('media_unsupported', { message: 'The file has neither video nor sound.' })
  if (watchable.some(({ width, height }) => width * height > maxPixels))
    throw new StepError('media_unsupported', { message: 'The picture is larger than 8192 × 4320.' })
  const container = containerOf(found.format?.format_name ?? '')
  const stated = Number(found.format?.duration)
  const seconds =
    stated > 0 && !guessesDuration.has(container) ? stated : await measureDuration(path, { ...run, maxSeconds })
  if (seconds > maxSeconds) throw new StepError('media_too_long')
  return { container, seconds, streams, tags: lowerCased(found.format?.tags ?? {}) }
}

type Described = {
  format?: { format_name?: string; duration?: string; tags?: Record<string, string> }
  streams?: DescribedStream[]
}
type DescribedStream = {
  codec_type?: string
  codec_name?: string
  channels?: number
  width?: number
  height?: number
  tags?: Record<string, string>
  disposition?: Record<string, number>
}

async function describe(
  path: string,
  run: { launcher: Launcher; cwd: string; signal: AbortSignal; timeoutMs: number },
): Promise<Described> {
  try {
    const args = ['-show_format', '-show_streams', '-of', 'json', '-i', path]
    const { stdout } = await ffprobe({ ...run, args })
    return JSON.parse(stdout.toString('utf8')) as Described
  } catch (error) {
    const failure = unreadable(error)
    const isRefused = failure instanceof StepError && failure.code === 'media_unsupported'
    const what = isRefused && (await nameContent(path))
    if (!what) throw failure
    const message = `What the URL leads to is ${what}. These are read: ${CONTAINERS}.`
    throw new StepError('media_unsupported', { message, cause: error })
  }
}

function streamsOf(described: DescribedStream[]): MediaStream[] {
  const counts = { audio: 0, video: 0, subtitle: 0 }
  return described.slice(0, MAX_STREAMS).flatMap((stream): MediaStream[] => {
    const kind = stream.codec_type
    if (kind !== 'audio' && kind !== 'video' && kind !== 'subtitle') return []
    const index = counts[kind]++
    // the cover of a song is stored as a video stream of one picture
    if (stream.disposition?.attached_pic) return []
    return [
      {
        kind,
        index,
        codec: stream.codec_name ?? 'unknown',
        language: lowerCased(stream.tags ?? {}).language,
        default: stream.disposition?.default === 1,
        forced: stream.disposition?.forced === 1,
        describes: stream.disposition?.visual_impaired === 1 || stream.disposition?.descriptions === 1,
        comments: stream.disposition?.comment === 1,
        channels: kind === 'audio' ? (stream.channels ?? 0) : 0,
        width: kind === 'video' ? (stream.width ?? 0) : 0,
        height: kind === 'video' ? (stream.height ?? 0) : 0,
      },
    ]
  })
}

function containerOf(formatName: string): string {
  const names = formatName.split(',')
  return names.includes('mp4') ? 'mp4' : (names[0] ?? '')
}

const lowerCased = (tags: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]))
