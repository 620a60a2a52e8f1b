import { readFile, writeFile } from 'node:fs/promises'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import { CaptionsTooLongError, type Segment } from '#packages/content/captions/clean.ts'
import { parseTrack, wordsOfTrack } from '#packages/content/captions/parse-track.ts'
import { cacheKey, type Download, type MediaCache } from '#packages/content/media/media-cache.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import { createOembed, type OembedOptions } from '../oembed/create-oembed.ts'
import type { Embedded } from '../oembed/read-oembed.ts'
import type { Way } from '../platform-definition.ts'
import type { MeasuredRead } from '../reading/measured-read.ts'
import { type Passed, readOutside } from '../reading/read-outside.ts'
import { INCOMPLETE_SECONDS, ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { routeOf } from '../reading/route-of.ts'
import { reportTo } from '../reading/site.ts'
import type { RegisteredPlatform, SocialPlatform } from '../registry.ts'
import type { Details } from '../search/search-source.ts'
import { registrableDomain } from '../urls/registrable-domain.ts'
import type { CaptionTrackInfo, VideoInfo } from '../ytdlp/info.ts'
import { CaptionsWithheld, captionsFailure, formatsMissing } from '../ytdlp/missing-parts.ts'
import type { Reader, ReaderWish } from '../ytdlp/reader.ts'
import type { Lacks } from '../ytdlp/warnings.ts'
import { NoCaptionsError, readByWays, type WayOfReading } from './by-ways.ts'
import { languageOf } from './caption-key.ts'
import { chooseFormat } from './choose-format.ts'
import { orderCaptions } from './order-captions.ts'
import { assertEnded, toDetails, toMetadata, toVideo } from './to-video.ts'
import type { Captions, CaptionsWish, FoundMetadata, Inclusion, VideoSource } from './video-source.ts'

export type SocialOptions = Passed &
  OembedOptions & {
    reader: Reader
    /** Caches captions and media for all organizations. */
    cache: MediaCache
    /** The way that is tried first for YouTube. */
    youtubeFirst: Way
    /** The largest media file that is downloaded, bytes. */
    maxBytes: number
    /** The longest media to download, seconds. Captions are read for longer videos too. */
    maxSeconds: number
  }

/**
 * The metadata of a video. If the platform refuses it: the facts that pages show when they embed the video. Never used
 * for jobs.
 */
export type Summary = (url: string, asked: Reading & { include?: readonly Inclusion[] }) => Promise<FoundMetadata>

/** The wishes that distinguish the cached captions of one video. */
type SocialWish = Omit<CaptionsWish, 'video'>

type Operation = MeasuredRead['operation']

/** How many tracks to try before a video counts as one without captions. */
const MAX_TRACKS = 3

/** The videos of one platform, with details for search and the whole info of yt-dlp. */
export type Social = VideoSource & {
  details(url: string, reading: Reading): Promise<Details>
  info(url: string, reading: Reading): Promise<VideoInfo>
  summary: Summary
  /** Drops the info of a video from memory. */
  forget(url: string): void
}

/**
 * The videos of one platform, read with yt-dlp, and with the platform's second way if it has one. Jobs of all
 * organizations share the results: the info of a video for some minutes, its captions and media for as long as the
 * cache keeps them. Reading captions never downloads media.
 */
export function createSocial(platform: RegisteredPlatform, options: SocialOptions): Social {
  const { name } = platform
  const { reader, routes, cache, clock, telemetry, metadataSeconds, maxBytes, maxSeconds } = options
  const oembed = createOembed(platform, options)
  const onLookup = countLookups(telemetry, 'metadata')
  const secondsOf = ({ lacks }: VideoInfo): number =>
    lacks.captions === null && lacks.formats === null ? metadataSeconds : Math.min(INCOMPLETE_SECONDS, metadataSeconds)
  const infos = new ReadThroughCache<VideoInfo>({ clock, seconds: secondsOf, onLookup })

  const ytdlp: WayOfReading = { way: 'yt-dlp', reader }
  const ways = waysOf(platform, ytdlp, options)

  /** One call of a reader through the owner's egress route. */
  const ask = <T>(
    way: Way,
    operation: Operation,
    url: string,
    reading: Reading,
    call: (wish: ReaderWish) => Promise<T>,
  ) => {
    const { signal, organization, onWait, onRead } = reading
    return readOutside(options, { platform: name, operation, way, subject: url }, reading, (route) => {
      onRead?.({ domain: registrableDomain(url), exit: route.address })
      return call({ canonicalUrl: url, platform: name, route, organization, onWait, signal })
    })
  }
  const keyOf = (way: Way, url: string): string => `${way} ${url}`
  const infoBy = ({ way, reader }: WayOfReading, url: string, reading: Reading): Promise<VideoInfo> =>
    infos.get(keyOf(way, url), reading, (shared) => ask(way, 'details', url, shared, (wish) => reader.info(wish)))
  /** Reads by both ways. Begins with the way that has the info cached, or that another process used for the video. */
  const byWays = <T>(url: string, before: Way | undefined, read: (one: WayOfReading) => Promise<T>): Promise<T> => {
    const known = ways.find(({ way }) => infos.has(keyOf(way, url)))?.way ?? before
    return readByWays(
      ways.toSorted((a, b) => Number(b.way === known) - Number(a.way === known)),
      read,
    )
  }
  const infoOf = (url: string, reading: Reading): Promise<VideoInfo> =>
    byWays(url, undefined, (one) => infoBy(one, url, reading))

  const readCaptions = async (
    one: WayOfReading,
    url: string,
    reading: Reading,
    wish: SocialWish,
  ): Promise<Captions> => {
    const info = await infoBy(one, url, reading)
    for (const track of orderCaptions(info, wish).slice(0, MAX_TRACKS)) {
      const text = await ask(one.way, 'captions', url, reading, (wish) => one.reader.captions(wish, track))
      const segments = await segmentsOf(text, track.ext)
      const words = wish.words ? wordsOfTrack(text, track.ext) : undefined
      if (segments.length > 0)
        return { ...wayOf(one), ...toCaptions(name, info, track, segments), ...(words && { words }) }
    }
    const { captions: lack } = info.lacks
    if (lack === null) throw new NoCaptionsError()
    // drop the info: another exit address, or a later attempt, may get them
    infos.drop(keyOf(one.way, url))
    throw captionsFailure(lack)
  }
  /** The way that was used, if the platform has several. */
  const wayOf = ({ way }: WayOfReading): { way?: Way } => (ways.length > 1 ? { way } : {})
  const download =
    (url: string, reading: Reading, wish: { want: 'audio' | 'video'; lang: string | null }): Download =>
    async (path, signal, reserve, onWait) => {
      const shared = { ...reading, signal, onWait }
      const info = await infoBy(ytdlp, url, shared)
      if ((info.durationSeconds ?? 0) > maxSeconds) throw new StepError('media_too_long')
      const format = chooseFormat(info.formats, { ...wish, foreignSound: platform.ytdlp.foreignSound })
      if (!format) {
        if (info.lacks.formats === null) throw new StepError('media_unsupported')
        infos.drop(keyOf('yt-dlp', url))
        throw formatsMissing(info.lacks.formats)
      }
      if ((format.bytes ?? 0) > maxBytes) throw new StepError('media_too_large')
      const { formatId } = format
      await ask('yt-dlp', 'media', url, shared, (wish) => reader.media(wish, { formatId, path, maxBytes, reserve }))
      return {}
    }

  const metadata: Social['metadata'] = async (url, { include = [], ...reading }) => {
    const info = await infoOf(url, reading)
    return ofRead(toMetadata(platform, info, include), info.lacks)
  }

  return {
    name,
    async fetch(url, reading) {
      const video = await byWays(url, undefined, async (one) => ({
        ...wayOf(one),
        ...toVideo(platform, url, await infoBy(one, url, reading)),
      }))
      assertEnded(video)
      return video
    },
    async captions(url, { lang, strictLang, translate, words, video, ...reading }) {
      const wish: SocialWish = { lang, strictLang, translate, words }
      const read = (shared: Reading): Promise<Captions> =>
        byWays(url, video.way, (one) => readCaptions(one, url, shared, wish))
      const save: Download = async (path, signal, _reserve, onWait) => {
        await writeFile(path, JSON.stringify(await read({ ...reading, signal, onWait })))
        return {}
      }
      try {
        await using file = await cache.use(
          cacheKey(url, `captions ${JSON.stringify(wish)}`),
          save,
          reading.signal,
          reading.organization,
        )
        return JSON.parse(await readFile(file.path, 'utf8')) as Captions
      } catch (error) {
        if (error instanceof NoCaptionsError) return undefined
        if (!(error instanceof CaptionsWithheld)) throw error
        // tries again once, and only from another exit address
        const transient = !reading.captionsWithheld && routeOf(routes, name, reading).hasSession
        throw new CaptionsWithheld({ transient, cause: error.cause })
      }
    },
    openMedia: (url, { want, lang, ...reading }) =>
      cache.use(
        cacheKey(url, `${want} ${lang ?? ''}`),
        download(url, reading, { want, lang }),
        reading.signal,
        reading.organization,
      ),
    metadata,
    async summary(url, { include = [], ...reading }) {
      try {
        return await metadata(url, { ...reading, include })
      } catch (error) {
        const refused = error instanceof StepError && error.code === 'platform_blocked'
        const embedded = refused ? await oembed.read(url, reading) : undefined
        if (embedded === undefined) throw error
        return ofEmbedded(name, embedded, include)
      }
    },
    details: async (url, reading) => toDetails(platform, await infoOf(url, reading)),
    info: infoOf,
    forget(url) {
      for (const { way } of ways) infos.drop(keyOf(way, url))
      oembed.forget(url)
    },
  }
}

/** The ways of reading a platform, the first to try first. */
function waysOf(
  { second }: RegisteredPlatform,
  ytdlp: WayOfReading,
  { youtubeFirst, log }: SocialOptions,
): WayOfReading[] {
  if (!second) return [ytdlp]
  const other = { way: second.way, reader: second.create({ report: reportTo(log) }) }
  return youtubeFirst === second.way ? [other, ytdlp] : [ytdlp, other]
}

async function segmentsOf(text: string, format: string): Promise<Segment[]> {
  try {
    return await parseTrack(text, format)
  } catch (cause) {
    if (cause instanceof CaptionsTooLongError) throw new StepError('result_too_large', { cause })
    throw new StepError('upstream_error', { message: 'The captions of the video cannot be read.', cause })
  }
}

const toCaptions = (
  engine: SocialPlatform,
  { durationSeconds }: VideoInfo,
  { language, automatic, translated }: CaptionTrackInfo,
  segments: Segment[],
): Captions => ({
  language: languageOf(language),
  source: translated ? 'translated' : automatic ? 'automatic' : 'human',
  engine,
  model: null,
  audioSeconds: durationSeconds,
  segments,
})

/** The metadata of a video that the platform shows only on pages that embed it. */
function ofEmbedded(
  platform: SocialPlatform,
  { title, author, thumbnail, authorUrl }: Embedded,
  include: readonly Inclusion[],
): FoundMetadata {
  const counts = { viewCount: null, likeCount: null, commentCount: null, shareCount: null }
  const shown = { title, author, platform, duration: null, ...counts, thumbnail, authorId: null, authorUrl }
  const rest = { description: null, publishedAt: null, tags: null, isLive: null }
  const metadata: VideoMetadata = { ...shown, ...rest, ...Object.fromEntries(include.map((field) => [field, null])) }
  const fields = Object.keys(metadata) as (keyof VideoMetadata)[]
  return { metadata, missing: fields.filter((field) => metadata[field] === null) }
}

/** The metadata of a video that was read. The listed captions may be incomplete. */
const ofRead = (metadata: VideoMetadata, { captions }: Lacks): FoundMetadata => ({
  metadata,
  missing: metadata.captions !== undefined && captions !== null ? ['captions'] : [],
})
