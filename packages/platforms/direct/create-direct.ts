import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Segment } from '#packages/content/captions/clean.ts'
import { toBcp47 } from '#packages/content/captions/language.ts'
import { orderTracks } from '#packages/content/captions/order-tracks.ts'
import { captionFormatOf, type EmbeddedTrack } from '#packages/content/captions/read-embedded.ts'
import { cacheKey, type Download, type MediaCache, type MediaFile } from '#packages/content/media/media-cache.ts'
import type { MediaInfo, MediaStream } from '#packages/content/media/probe.ts'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { measuredRead } from '../reading/measured-read.ts'
import type { Reading } from '../reading/reading.ts'
import { OWN_NAME } from '../reading/site.ts'
import { registrableDomain } from '../urls/registrable-domain.ts'
import { listedCaptions } from '../videos/to-video.ts'
import type { Video, VideoSource } from '../videos/video-source.ts'
import type { DirectTools } from './direct-tools.ts'
import { failureOf, failureOfStatus } from './failure.ts'
import { keepPace, type PaceLimits } from './keep-pace.ts'
import { dispositionName, tagOf, titleOfName, urlName } from './title.ts'
import { withoutPage } from './without-page.ts'

export type DirectOptions = PaceLimits & {
  /** The egress route of a reading. */
  routeOf(reading: Reading): Pick<EgressRoute, 'address' | 'egress' | 'via'>
  /** The tools that inspect files. */
  tools: DirectTools
  cache: MediaCache
  clock: Clock
  telemetry: Telemetry
  /** Largest file accepted. */
  maxBytes: number
  /** Longest file accepted, seconds. */
  maxSeconds: number
}

/** Limit of one run of ffprobe or ffmpeg. */
const LOOK_TIMEOUT_MS = 60_000
const headers = { 'accept-encoding': 'identity', accept: '*/*', 'user-agent': OWN_NAME }

/**
 * Media files at any public address. Only the bytes show whether a URL leads to media, so every call works on the
 * file in the cache. Events carry the URL without its query, which may be a signature; steps request the job's whole
 * URL.
 */
export function createDirect({
  routeOf,
  tools,
  cache,
  clock,
  telemetry,
  maxBytes,
  maxSeconds,
  ...pace
}: DirectOptions): VideoSource {
  const download =
    (url: string, reading: Reading): Download =>
    async (path, signal, reserve, onWait) => {
      if (reading.exhausted) throw askedEnough()
      const requests = new Map<string, number>()
      const { address: exit, via } = routeOf(reading)
      const onRequest = (host: string): void => {
        requests.set(host, (requests.get(host) ?? 0) + 1)
        reading.onRead?.({ domain: registrableDomain(host), exit })
      }
      const saved = () =>
        keepPace(
          (signal, count) =>
            save(url, path, { ...reading, signal, onWait, onRequest }, (bytes) => {
              count(bytes)
              return reserve(bytes)
            }),
          { ...pace, clock, signal },
        )
      const read = { platform: 'direct', operation: 'media', via, signal } as const
      const about = await measuredRead(telemetry, read, saved).catch((error: unknown) => {
        if (error instanceof StepError) error.requests = Math.max(0, ...requests.values())
        throw error
      })
      const info = await probed(path, signal).catch(() => undefined)
      return info === undefined ? about : { ...about, info: JSON.stringify(info) }
    }
  const save = async (url: string, path: string, reading: Asking, take: Take) => {
    const { signal, failures, onRequest } = reading
    try {
      await using answer = await routeOf(reading).egress.request(url, { headers, signal, maxBytes, onRequest })
      const failure = failureOfStatus(answer.status, answer.headers['retry-after'], clock.now())
      if (failure) throw failure
      const file = withoutPage(answer.body, answer.headers['content-type'])
      await pipeline(taken(file, take), createWriteStream(path), { signal })
      const name = dispositionName(answer.headers['content-disposition'])
      return name ? { name } : {}
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error, failures)
    }
  }
  const open = (url: string, reading: Reading): Promise<MediaFile> =>
    cache.use(cacheKey(url, sharing(url, reading)), download(url, reading), reading.signal, reading.organization)
  const probed = (path: string, signal: AbortSignal): Promise<MediaInfo> =>
    tools.probe(path, { signal, maxSeconds, timeoutMs: LOOK_TIMEOUT_MS })
  /** What its download found. A file that could not be read then is read again, so that each caller gets the error. */
  const infoOf = async ({ path, about }: MediaFile, signal: AbortSignal): Promise<MediaInfo> =>
    about.info === undefined ? await probed(path, signal) : (JSON.parse(about.info) as MediaInfo)
  const look = async (url: string, reading: Reading): Promise<Video> => {
    await using file = await open(url, reading)
    return describe(url, file, await infoOf(file, reading.signal))
  }

  return {
    name: 'direct',
    fetch: look,
    openMedia: open,
    async metadata(url, { include = [], ...reading }) {
      const { platform, metadata, durationSeconds, captionTracks } = await look(url, reading)
      // a file without any name gets its host as title
      const title = metadata.title ?? new URL(url).hostname
      const known = {
        ...metadata,
        title,
        platform,
        duration: durationSeconds,
        isLive: null,
        ...(include.includes('captions') && { captions: listedCaptions(captionTracks) }),
        ...(include.includes('chapters') && { chapters: null }),
      }
      return { metadata: known, missing: [] }
    },
    async captions(url, { lang, strictLang, translate: _, words: __, video, ...reading }) {
      const { signal } = reading
      if (video.captionTracks?.length === 0) return undefined
      await using file = await open(url, reading)
      const { streams } = await infoOf(file, signal)
      const tracks = orderTracks(textTracks(streams), { lang, strictLang })
      const read = (track: EmbeddedTrack) =>
        tools.readEmbedded(file.path, track, { signal, timeoutMs: LOOK_TIMEOUT_MS })
      const found = await firstSaid(tracks, read)
      if (!found) return undefined
      const { track, segments } = found
      const { durationSeconds: audioSeconds } = video
      return { language: track.language, source: 'human', engine: 'ffmpeg', model: null, audioSeconds, segments }
    },
  }
}

/** A reading that counts the requests it makes. */
type Asking = Reading & { onRequest: (host: string) => void }

/**
 * Ends an attempt without a request. Earlier attempts ended without a known result, so the owner makes no more requests
 * to the host. The error is transient for others that share the download and have attempts left. The owner has none
 * left, so its job fails.
 */
const askedEnough = (): StepError =>
  new StepError('upstream_error', { transient: true, message: 'The file was requested too often without success.' })

/**
 * The scope in which a file may be shared. A query may be a signature that grants access, so a file with one is shared
 * only within the organization that sent it.
 */
const sharing = (url: string, { owner, organization = owner }: Reading): string =>
  new URL(url).search === '' ? 'file' : `file of ${organization}`

/** Reserves room for this many bytes before they are written. */
type Take = (bytes: number) => Promise<void>

/** Passes on the pieces of the body, each once there is room for it. */
async function* taken(body: AsyncIterable<Uint8Array>, take: Take): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    await take(piece.length)
    yield piece
  }
}

/**
 * The first track with text. A track that cannot be read gives way to the next.
 * @throws StepError `media_unsupported` if no track has text and one cannot be read: that does not mean there is none
 */
async function firstSaid<T>(tracks: readonly T[], read: (track: T) => Promise<Segment[]>) {
  let failure: unknown
  for (const track of tracks) {
    try {
      const segments = await read(track)
      if (segments.length > 0) return { track, segments }
    } catch (error) {
      if (!(error instanceof StepError) || error.code !== 'media_unsupported') throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}

/** The text subtitle tracks, with their languages as BCP 47 tags. */
const textTracks = (streams: readonly MediaStream[]) =>
  streams
    .filter(({ kind, codec }) => kind === 'subtitle' && captionFormatOf(codec))
    .map((stream) => ({ ...stream, language: toBcp47(stream.language) }))

/** The fields that a file itself does not contain. */
const unknown = {
  viewCount: null,
  likeCount: null,
  thumbnail: null,
  description: null,
  publishedAt: null,
  authorId: null,
  authorUrl: null,
  commentCount: null,
  shareCount: null,
  tags: null,
}

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
    metadata: { ...unknown, title, author },
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
