import type { ProfileVideo, SearchResult } from '#contracts/generated/http.ts'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import type { LiveCheck } from './live-check.ts'
import type { OembedDefinition } from './oembed/oembed-definition.ts'
import type { SourcePage } from './paging/take-items.ts'
import type { SiteOptions } from './reading/ask-platform.ts'
import type { Reading } from './reading/reading.ts'
import type { SearchSource } from './search/search-source.ts'
import type { PlatformUrls } from './urls/recognised.ts'
import type { CaptionTrackInfo, VideoInfo } from './ytdlp/info.ts'

/** The definition of one platform. Code that the platforms share is in the folders next to theirs. */
export type PlatformDefinition = {
  /** Used in events, answers, cookie file names and EGRESS_PROXY_…: must not change. */
  name: SearchResult['platform']
  /** The name as people write it. */
  label: string
  urls: PlatformUrls
  ytdlp: {
    /** Names of yt-dlp's extractors, as patterns. */
    extractors: readonly string[]
    /** The canonical URLs of videos. No other URL reaches yt-dlp. Python uses this pattern too. */
    pages: RegExp
    /** The id of an audio format that may not be the video's own sound. */
    foreignSound?: string
  }
  /** A second way of reading. Set only if metadata and captions can also be read without yt-dlp. */
  second?: { way: Way; create(options: Pick<SiteOptions, 'report'>): SecondReader }
  /** Reads per minute at one exit address without sessions, unless the operator sets another pace. */
  readsPerMinute: number
  titleOf(info: VideoInfo): string | null
  authorOf(info: VideoInfo): string | null
  /** The account that published the video, and its page. */
  accountOf(info: VideoInfo): Account
  /** Default: the description as yt-dlp gives it. */
  descriptionOf?(info: VideoInfo): string | null
  /** Default: the hashtags of the description. */
  tagsOf?(info: VideoInfo): string[] | null
  /** The platform's own search, or the terms that restrict a web search to its site. */
  search: { create(options: SiteOptions): SearchSource } | { webTerms: string }
  /** Set only if we serve the platform's profiles. */
  profile?: ProfileDefinition
  /** Set only if the platform has an oEmbed interface that needs no key. */
  oembed?: OembedDefinition
  check: LiveCheck
}

/** `id`: the platform's id, which stays the same if the account is renamed. */
export type Account = { id: string | null; url: string | null }

/** How the videos of a platform are read. `innertube`: by YouTube's own API, without Python. */
export const ways = ['yt-dlp', 'innertube'] as const
export type Way = (typeof ways)[number]

/** A request to a second way. */
export type SecondWish = { canonicalUrl: string; route: EgressRoute; signal: AbortSignal }

/**
 * Reads what yt-dlp would read of a video, or fails. It never gives null for a value that yt-dlp would find. All
 * throw StepError, with the codes that yt-dlp's failures have for the same messages of the platform.
 */
export type SecondReader = {
  info(wish: SecondWish): Promise<VideoInfo>
  /** A caption track of `info` as text. */
  captions(wish: SecondWish, track: Pick<CaptionTrackInfo, 'language' | 'automatic' | 'ext'>): Promise<string>
}

/** How the profiles of a platform's creators are named and read. */
export type ProfileDefinition = {
  /** The form of usernames, in lower case and without `@`. */
  usernames: RegExp
  /** What `usernames` allows, in words. */
  usernamesInWords: string
  urlOf(username: string): string
  create(options: SiteOptions): ProfileReader<{ videos: ProfileVideo[] }>
}

/** A profile with its first videos, newest first. `next`: the token of the following page, or null. */
export type FirstProfile<T> = { profile: T; next: string | null }

/** Reads the profiles of a platform. Both throw StepError. */
export type ProfileReader<T> = {
  /** @param username of `usernameOf` */
  first(username: string, reading: Reading): Promise<FirstProfile<T>>
  /** The page that an earlier page's token leads to. Only if the platform has further pages. */
  more?(token: string, reading: Reading): Promise<SourcePage<ProfileVideo>>
}
