import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { toBcp47 } from '#packages/captions/language.ts'
import { orderTracks } from '#packages/captions/order-tracks.ts'
import { captionFormatOf, readEmbedded } from '#packages/captions/read-embedded.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { cacheKey, type Download, type MediaCache, type MediaFile } from '#packages/media/media-cache.ts'
import { type MediaInfo, type MediaStream, probe } from '#packages/media/probe.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Reading } from '../reading/reading.ts'
import type { Video, VideoSource } from '../videos/video-source.ts'
import { failureOf, failureOfStatus } from './failure.ts'
import { keepPace, type PaceLimits } from './keep-pace.ts'
import { dispositionName, tagOf, titleOfName, urlName } from './title.ts'

export type DirectOptions = PaceLimits & {
  /** The egress route of a reading. */
  egressOf(reading: Reading): Egress
  cache: MediaCache
  clock: Clock
  /** Largest file accepted. */
  maxBytes?: number
  /** Longest file accepted, seconds. */
  maxSeconds?: number
}

const GIBIBYTE = 1024 ** 3
/** Of each look at a file by ffprobe or ffmpeg. */
const LOOK_TIMEOUT_MS = 60_000
const headers = { 'accept-encoding': 'identity', accept: '*/*', 'user-agent': 'video-intelligence-service' }

/**
 * Media files at any public address. Whether it is one is only known from its bytes, so every call works on the file in
 * the cache. The events carry the URL without its query, which may be a signature: the steps ask with the job's URL.
 */
export function createDirect({
  egressOf,
  cache,
  clock,
  maxBytes = GIBIBYTE,
  maxSeconds = 2 * 60 * 60,
  ...pace
}: DirectOptions): VideoSource {
  const download =
    (url: string, reading: Reading): Download =>
    async (path, signal, reserve, onWait) => {
      if (reading.exhausted) throw askedEnough()
      let requests = 0
      const onRequest = (): void => void requests++
      const saved = keepPace(
        (signal, count) =>
          save(url, path, { ...reading, signal, onWait, onRequest }, (bytes) => {
            count(bytes)
            return reserve(bytes)
          }),
        { ...pace, clock, signal },
      )
      return await saved.catch((error: unknown) => {
        if (error instanceof StepError) error.requests = requests
        throw error
      })
    }
  const save = async (url: string, path: string, reading: Asking, take: Take) => {
    const { signal, again, onRequest } = reading
    try {
      await using answer = await egressOf(reading).request(url, { headers, signal, maxBytes, onRequest })
      const failure = failureOfStatus(answer.status, answer.headers['retry-after'], clock.now())
      if (failure) throw failure
      await pipeline(taken(answer.body, take), createWriteStream(path), { signal })
      const name = dispositionName(answer.headers['content-disposition'])
      return name ? { name } : {}
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error, again)
    }
  }
  const open = (url: string, reading: Reading): Promise<MediaFile> =>
    cache.use(cacheKey(url, sharing(url, reading)), download(url, reading), reading.signal, reading.organization)
  const look = async (url: string, reading: Reading): Promise<Video> => {
    const { signal } = reading
    await using file = await open(url, reading)
    return describe(url, file, await probe(file.path, { signal, maxSeconds, timeoutMs: LOOK_TIMEOUT_MS }))
  }

  return {
    name: 'direct',
    fetch: look,
    openMedia: open,
    async metadata(url, reading) {
      const { platform, metadata, durationSeconds } = await look(url, reading)
      // a file that has no name at all is called after its host
      const title = metadata.title ?? new URL(url).hostname
      return { ...metadata, title, platform, duration: durationSeconds }
    },
    async captions(url, { lang, video, ...reading }) {
      const { signal } = reading
      if (video.captionTracks.length === 0) return undefined
      await using file = await open(url, reading)
      const { streams } = await probe(file.path, { signal, maxSeconds, timeoutMs: LOOK_TIMEOUT_MS })
      for (const { index, language } of orderTracks(textTracks(streams), lang)) {
        const segments = await readEmbedded(file.path, index, { signal, timeoutMs: LOOK_TIMEOUT_MS })
        const { durationSeconds: audioSeconds } = video
        if (segments.length > 0)
          return { language, source: 'human', engine: 'ffmpeg', model: null, audioSeconds, segments }
      }
      return undefined
    },
  }
}

/** A reading that counts the requests it makes. */
type Asking = Reading & { onRequest: () => void }

/**
 * Earlier attempts were lost: what became of them is not known, and the host is left alone from here on. Transient for
 * those who share the download and have attempts left; the owner's are spent, so that it ends there.
 */
const askedEnough = (): StepError =>
  new StepError('upstream_error', { transient: true, message: 'The file was asked for too often without an end.' })

/** A query may be a signature, which lets in who has it: such a file is kept for the organization that gave it alone. */
const sharing = (url: string, { owner, organization = owner }: Reading): string =>
  new URL(url).search === '' ? 'file' : `file of ${organization}`

/** Makes room for so many bytes before they are written. */
type Take = (bytes: number) => Promise<void>

/** The same pieces, each once there is room for it. */
async function* taken(body: AsyncIterable<Uint8Array>, take: Take): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    await take(piece.length)
    yield piece
  }
}

/** The subtitle tracks that are text, with their languages as BCP 47 writes them. */
const textTracks = (streams: readonly MediaStream[]) =>
  streams
    .filter(({ kind, codec }) => kind === 'subtitle' && captionFormatOf(codec))
    .map((stream) => ({ ...stream, language: toBcp47(stream.language) }))

function describe(url: string, file: MediaFile, { container, seconds, streams, tags }: MediaInfo): Video {
  const picture = streams.find(({ kind }) => kind === 'video')
  const format = {
    container,
    hasAudio: streams.some(({ kind }) => kind === 'audio'),
    hasVideo: picture !== undefined,
    width: picture?.width ?? null,
    height: picture?.height ?? null,
    bytes: file.bytes,
  }
  const captionTracks = textTracks(streams).map(({ language, codec }) => ({
    language,
    source: 'human' as const,
    format: captionFormatOf(codec) ?? codec,
  }))
  const title = tagOf(tags, 'title') ?? titleOfName(file.about.name ?? urlName(url))
  const author = tagOf(tags, 'artist', 'album_artist', 'author')
  return {
    canonicalUrl: withoutQuery(url),
    platform: 'direct',
    metadata: { title, author, viewCount: null, likeCount: null, thumbnail: null },
    durationSeconds: seconds,
    liveState: 'none',
    captionTracks,
    formats: [format],
  }
}

function withoutQuery(url: string): string {
  const bare = new URL(url)
  bare.search = ''
  return bare.href
}
