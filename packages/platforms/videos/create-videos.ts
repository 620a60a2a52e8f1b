import type { Cached } from '#packages/content/media/media-cache.ts'
import type { Host } from '#packages/domain/job/retry.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { createDirect, type DirectOptions } from '../direct/create-direct.ts'
import { browserOf } from '../reading/browser.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { routeOf } from '../reading/route-of.ts'
import { platforms, type SocialPlatform } from '../registry.ts'
import type { Details } from '../search/search-source.ts'
import { cachedUrls } from '../urls/cached-urls.ts'
import { parseVideoUrl, type VideoUrl } from '../urls/parse-video-url.ts'
import { registrableDomain } from '../urls/registrable-domain.ts'
import { resolveShortLink } from '../urls/resolve-short-link.ts'
import type { VideoInfo } from '../ytdlp/info.ts'
import { createSocial, type Social, type SocialOptions, type Summary } from './create-social.ts'
import type { VideoSource } from './video-source.ts'

export type VideosOptions = Omit<DirectOptions, 'routeOf'> & SocialOptions

/**
 * The videos of all platforms and direct files. Takes the URLs of jobs, including short links.
 *
 * All methods throw StepError `video_unavailable` for a URL that leads to no video.
 */
export type Videos = Omit<VideoSource, 'name'> & {
  /** The metadata, or the part of it that is available now. */
  summary: Summary
  /** The details of a platform's video that complete a search result. */
  details(video: SocialVideo, reading: Reading): Promise<Details>
  /** yt-dlp's whole info, for the check of the real platforms. */
  info(video: SocialVideo, reading: Reading): Promise<VideoInfo>
  /**
   * Drops everything that is cached for the video at a URL: metadata, captions, media, and data that jobs made from it.
   * Or drops the files that an organization has downloaded.
   */
  forget(what: Cached): Promise<void>
}

type SocialVideo = { platform: SocialPlatform; url: string }

/** How long the target of a short link is cached, seconds. It does not change. */
const LINK_SECONDS = 24 * 60 * 60

export function createVideos(options: VideosOptions): Videos {
  const { cache, clock, routes, pace } = options
  const direct = createDirect({ ...options, routeOf: (reading) => routeOf(routes, undefined, reading) })
  const social = Object.fromEntries(
    platforms.map((platform) => [platform.name, createSocial(platform, options)]),
  ) as Record<SocialPlatform, Social>
  const parse = cachedUrls()
  const links = new ReadThroughCache<{ canonical: string }>({ clock, seconds: LINK_SECONDS })

  const follow = (link: ShortLink, reading: Reading) =>
    // links use no breaker: their answers do not show how the platform answers for its videos
    links.get(link.canonical, reading, (shared) => {
      const route = routeOf(routes, link.platform, shared)
      const ways = { browserOf: (platform: SocialPlatform) => browserOf(options, platform), egress: route.egress }
      return pace.run(link.platform, route, shared, () => {
        reading.onRead?.({ domain: registrableDomain(link.canonical), exit: route.address })
        return resolveShortLink(link, { ...ways, reading: shared })
      })
    })
  const locate = async (url: string, reading: Reading): Promise<{ source: VideoSource | Social; at: string }> => {
    const parsed = parse(url)
    // jobs with such a URL are refused earlier
    if (!parsed.accepted) throw new StepError('video_unavailable')
    if (parsed.kind === 'short') return locate((await follow(parsed, reading)).canonical, reading)
    return { source: parsed.platform === 'direct' ? direct : social[parsed.platform], at: parsed.canonical }
  }
  /** Runs a call on the platform that a URL belongs to. */
  const on =
    <A extends Reading, T>(call: (source: VideoSource | Social, at: string, asked: A) => Promise<T>) =>
    async (url: string, asked: A): Promise<T> => {
      const { source, at } = await locate(url, asked).catch(failedBy('platform'))
      return call(source, at, asked).catch(failedBy(source === direct ? 'direct' : 'platform'))
    }

  return {
    fetch: on((source, at, reading) => source.fetch(at, reading)),
    captions: on((source, at, asked: Parameters<VideoSource['captions']>[1]) => source.captions(at, asked)),
    openMedia: on((source, at, asked: Parameters<VideoSource['openMedia']>[1]) => source.openMedia(at, asked)),
    metadata: on((source, at, asked: Parameters<VideoSource['metadata']>[1]) => source.metadata(at, asked)),
    summary: on((source, at, asked: Parameters<Summary>[1]) =>
      'summary' in source ? source.summary(at, asked) : source.metadata(at, asked),
    ),
    details: ({ platform, url }, reading) => social[platform].details(url, reading),
    info: ({ platform, url }, reading) => social[platform].info(url, reading),
    async forget(what) {
      if ('organization' in what) return cache.drop(what)
      const parsed = parseVideoUrl(what.url)
      if (!parsed.accepted) return
      links.drop(parsed.canonical)
      if (parsed.platform !== 'direct') social[parsed.platform].forget(parsed.canonical)
      await cache.drop({ url: parsed.canonical })
    },
  }
}

/** Records which kind of host failed: the number of retries depends on it. */
const failedBy =
  (host: Host) =>
  (error: unknown): never => {
    if (error instanceof StepError) error.host = host
    throw error
  }

type ShortLink = Extract<VideoUrl, { kind: 'short' }>
