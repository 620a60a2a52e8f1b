import type { ProfileVideo, SearchResult } from '#contracts/generated/http.ts'
import type { Reading } from './reading/reading.ts'
import type { SiteOptions } from './reading/site.ts'
import type { SearchSource } from './search/search.ts'
import type { PlatformUrls } from './urls/recognised.ts'
import type { VideoInfo } from './ytdlp/info.ts'

/** What one platform has of its own. The rooms beside the platforms' folders hold what they share. */
export type PlatformDefinition = {
  /** In events, answers, names of cookie files and EGRESS_PROXY_…: must not change. */
  name: SearchResult['platform']
  /** How people write it. */
  label: string
  urls: PlatformUrls
  ytdlp: {
    /** Names of yt-dlp's extractors, as patterns. */
    extractors: readonly string[]
    /** The canonical URLs of videos, which are the only ones that reach yt-dlp. Python reads this pattern as well. */
    pages: RegExp
    /** The id of a format that need not be the sound of the video. */
    foreignSound?: string
  }
  titleOf(info: VideoInfo): string | null
  authorOf(info: VideoInfo): string | null
  /** A search of its own, or the terms that restrict a web search to its site. */
  search: { create(options: SiteOptions): SearchSource } | { webTerms: string }
  /** Only where the platform's profiles are served. */
  profile?: ProfileDefinition
  check: LiveCheck
}

/** How the profiles of a platform's creators are named and read. */
export type ProfileDefinition = {
  /** In lower case and without `@`. */
  usernames: RegExp
  /** What `usernames` allows, in words. */
  usernamesInWords: string
  urlOf(username: string): string
  create(options: SiteOptions): ReadProfile<{ videos: ProfileVideo[] }>
}

export type ProfileWish = { username: string; limit: number }
export type ReadProfile<T> = (wish: ProfileWish, reading: Reading) => Promise<T>

/** What `npm run platforms -- check` looks at on the real platform. */
export type LiveCheck = {
  /** Public videos that have been there for years, most of them in the tests of yt-dlp too. */
  urls: readonly string[]
  /** A creator, where profiles are served. */
  creator?: string
  /**
   * What the platform tells of a video, and where yt-dlp has it. What is not here it does not tell guests, or yt-dlp does
   * not read.
   */
  fields: Readonly<Partial<Record<CheckedField, keyof VideoInfo>>>
  /** No guest is offered captions. */
  withoutCaptions?: boolean
}

export type CheckedField =
  | 'title'
  | 'author'
  | 'duration'
  | 'thumbnail'
  | 'createdAt'
  | 'views'
  | 'likes'
  | 'comments'
  | 'shares'
