import type { ProfileVideo, SearchResult } from '#contracts/generated/http.ts'
import type { LiveCheck } from './live-check.ts'
import type { OembedDefinition } from './oembed/oembed-definition.ts'
import type { SiteOptions } from './reading/ask-platform.ts'
import type { Reading } from './reading/reading.ts'

import type { SearchSource } from './search/search-source.ts'
import type { PlatformUrls } from './urls/recognised.ts'
import type { VideoInfo } from './ytdlp/info.ts'

/** What is particular to one platform. The other folders beside the platforms' hold what they share. */
export type PlatformDefinition = {
  /** In events, answers, names of cookie files and EGRESS_PROXY_…: must not change. */
  name: SearchResult['platform']
  /** The name as people write it. */
  label: string
  urls: PlatformUrls
  ytdlp: {
    /** Names of yt-dlp's extractors, as patterns. */
    extractors: readonly string[]
    /** The canonical URLs of videos: no other URL reaches yt-dlp. Python uses this pattern too. */
    pages: RegExp
    /** The id of an audio format that may not be the sound of the video. */
    foreignSound?: string
  }
  /** Reads that begin in a minute at one exit address without sessions, where the operator sets no other pace. */
  readsPerMinute: number
  titleOf(info: VideoInfo): string | null
  authorOf(info: VideoInfo): string | null
  /** A search of its own, or the terms that restrict a web search to its site. */
  search: { create(options: SiteOptions): SearchSource } | { webTerms: string }
  /** Only where the platform's profiles are served. */
  profile?: ProfileDefinition
  /** Only where the platform has one that asks for no key. */
  oembed?: OembedDefinition
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
