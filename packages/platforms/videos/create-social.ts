import { readFile, writeFile } from 'node:fs/promises'
import { CaptionsTooLongError, type Segment } from '#packages/captions/clean.ts'
import { parseTrack, wordsOfTrack } from '#packages/captions/parse-track.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { cacheKey, type Download, type MediaCache } from '#packages/media/media-cache.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import type { Breakers } from '../breakers/breakers.ts'
import { createOembed, type OembedOptions } from '../oembed/create-oembed.ts'
import { type MeasuredRead, measuredRead } from '../reading/measured-read.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { routeOf } from '../reading/route-of.ts'
import type { RegisteredPlatform, SocialPlatform } from '../registry.ts'
import type { Details } from '../search/search-source.ts'
import type { CaptionTrackInfo, VideoInfo } from '../ytdlp/info.ts'
import { CaptionsWithheld, captionsMissing, formatsMissing } from '../ytdlp/missing-parts.ts'
import type { Reader, ReaderWish } from '../ytdlp/reader.ts'
import { languageOf } from './caption-key.ts'
import { chooseFormat } from './choose-format.ts'
import { type FoundMetadata, ofEmbedded, ofRead } from './found-metadata.ts'
import { orderCaptions } from './order-captions.ts'
import { assertEnded, toDetails, toMetadata, toVideo } from './to-video.ts'
import type { Captions, CaptionsWish, Inclusion, VideoSource } from './video-source.ts'

export type SocialOptions = OembedOptions & {
  reader: Reader
  breakers: Breakers
  /** Keeps captions and media, shared by all organizations. */
  cache: MediaCache
  /** The largest media file that is downloaded, bytes. */
  maxBytes: number
  /** Longest media that is downloaded, seconds; captions of longer videos are read. */
  maxSeconds: number
}

/** The metadata of a video, or what its platform shows of it where it is embedded, if it refuses all else. Never for jobs. */
export type Summary = (url: string, asked: Reading & { include?: readonly Inclusion[] }) => Promise<FoundMetadata>

/** What tells apart the captions of one video that are cached. */
type SocialWish = Omit<CaptionsWish, 'video'>

/** How many tracks are tried before a video counts as one without captions. */
const MAX_TRACKS = 3

/** Ends a read of captions so that nothing is cached: a video may get captions at any time. */
class NoCaptionsError extends Error {}

/** The videos of one platform, with details for search and the whole info of yt-dlp. */
export type Social = VideoSource & {
  details(url: string, reading: Reading): Promise<Details>
  info(url: string, reading: Reading): Promise<VideoInfo>
  summary: Summary
  /** Drops the info of a video from memory. */
  forget(url: string): void
}

/**
 * The videos of one platform, read with yt-dlp. Jobs of all organizations share the results: the info of a video for
 * some minutes, its captions and media for as long as the cache keeps them. Reading captions never downloads media.
 */
export function createSocial(platform: RegisteredPlatform, options: SocialOptions): Social {
  const { name } = platform
  const { reader, routes, breakers, pace, cache, clock, telemetry, metadataSeconds, maxBytes, maxSeconds } = options
  const oembed = createOembed(platform, options)
  const onLookup = countLookups(telemetry, 'metadata')
  const infos = new ReadThroughCache<VideoInfo>({ clock, seconds: metadataSeconds, onLookup })

  /** One call of the reader through the owner's egress route. */
  const ask = <T>(
    operation: MeasuredRead['operation'],
    url: string,
    reading: Reading,
    call: (wish: ReaderWish) => Promise<T>,
  ) => {
    const route = routeOf(routes, name, reading)
    const { signal, organization, onWait } = reading
    const read = { platform: name, operation, via: route.via, signal }
    return breakers.run(name, { address: route.address, organization, subject: url }, () =>
      pace.run(name, route, reading, () =>
        measuredRead(telemetry, read, () =>
          call({ canonicalUrl: url, platform: name, route, organization, onWait, signal }),
        ),
      ),
    )
  }
  /** Whether the owner leaves by another exit address after a refusal. */
  const changesExit = (reading: Reading): boolean =>
    routeOf(routes, name, reading).address !==
    routeOf(routes, name, { ...reading, refusals: reading.refusals + 1 }).address

  const infoOf = (url: string, reading: Reading): Promise<VideoInfo> =>
    infos.get(url, reading, (signal, onWait) =>
      ask('details', url, { ...reading, signal, onWait }, (wish) => reader.info(wish)),
    )

  const readCaptions = async (url: string, reading: Reading, wish: SocialWish): Promise<Captions> => {
    const info = await infoOf(url, reading)
    for (const track of orderCaptions(info, wish).slice(0, MAX_TRACKS)) {
      const text = await ask('captions', url, reading, (wish) => reader.captions(wish, track))
      const segments = await segmentsOf(text, track.ext)
      const words = wish.words ? wordsOfTrack(text, track.ext) : undefined
      if (segments.length > 0) return { ...toCaptions(name, info, track, segments), ...(words && { words }) }
    }
    const { captions: lack } = info.lacks
    if (lack === null) throw new NoCaptionsError()
    // another exit address, or a later time, may be given them
    infos.drop(url)
    throw captionsMissing(lack)
  }
  const download =
    (url: string, reading: Reading, wish: { want: 'audio' | 'video'; lang: string | null }): Download =>
    async (path, signal, reserve, onWait) => {
      const shared = { ...reading, signal, onWait }
      const info = await infoOf(url, shared)
      if ((info.durationSeconds ?? 0) > maxSeconds) throw new StepError('media_too_long')
      const format = chooseFormat(info.formats, { ...wish, foreignSound: platform.ytdlp.foreignSound })
      if (!format) {
        if (info.lacks.formats === null) throw new StepError('media_unsupported')
        infos.drop(url)
        throw formatsMissing(info.lacks.formats)
      }
      if ((format.bytes ?? 0) > maxBytes) throw new StepError('media_too_large')
      const { formatId } = format
      await ask('media', url, shared, (wish) => reader.media(wish, { formatId, path, maxBytes, reserve }))
      return {}
    }

  const metadata: Social['metadata'] = async (url, { include = [], ...reading }) =>
    toMetadata(platform, await infoOf(url, reading), include)

  return {
    name,
    async fetch(url, reading) {
      const video = toVideo(platform, url, await infoOf(url, reading))
      assertEnded(video)
      return video
    },
    async captions(url, { lang, strictLang, translate, words, video: _, ...reading }) {
      const wish: SocialWish = { lang, strictLang, translate, words }
      const save: Download = async (path, signal, _reserve, onWait) => {
        await writeFile(path, JSON.stringify(await readCaptions(url, { ...reading, signal, onWait }, wish)))
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
        throw new CaptionsWithheld({ transient: !reading.withheld && changesExit(reading), cause: error.cause })
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
        return ofRead(await metadata(url, { ...reading, include }))
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
      infos.drop(url)
      oembed.forget(url)
    },
  }
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
