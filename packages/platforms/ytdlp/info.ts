import type { Lacks } from './warnings.ts'

/** One format of yt-dlp's `formats`. A codec `none` means that there is no such stream; null means unknown. */
export type FormatInfo = {
  formatId: string
  ext: string
  vcodec: string | null
  acodec: string | null
  width: number | null
  height: number | null
  /** Exact or estimated. */
  bytes: number | null
  /** Bits per second. */
  bitrate: number | null
  /** yt-dlp's `language`. A `languagePreference` of 10 or more marks the original. */
  language: string | null
  languagePreference: number | null
  protocol: string
}

/** One caption track in one format. */
export type CaptionTrackInfo = {
  /** The language as yt-dlp names it: `en`, `en-orig`, `pt-BR`, `eng-US`. */
  language: string
  automatic: boolean
  ext: string
  /** A machine translation of another track. */
  translated: boolean
}

/** The fields of yt-dlp's info dictionary that we use. Signed addresses stay inside the worker. */
export type VideoInfo = {
  id: string
  displayId: string | null
  title: string | null
  description: string | null
  channel: string | null
  channelId: string | null
  uploader: string | null
  uploaderId: string | null
  durationSeconds: number | null
  viewCount: number | null
  likeCount: number | null
  commentCount: number | null
  repostCount: number | null
  thumbnail: string | null
  /** Seconds since 1970. */
  timestamp: number | null
  liveStatus: 'is_live' | 'is_upcoming' | 'was_live' | 'post_live' | 'not_live' | null
  /** The platform's own tags. Null if none are known. */
  tags: string[] | null
  /** Language of the original sound, as yt-dlp writes it. */
  language: string | null
  formats: FormatInfo[]
  captions: CaptionTrackInfo[]
  /** The chapters in order. Null if the platform gives none. `end` is null if unknown. */
  chapters: { start: number; end: number | null; title: string }[] | null
  /** The fields above that may be incomplete. */
  lacks: Lacks
}
