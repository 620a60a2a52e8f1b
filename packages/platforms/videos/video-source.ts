import type { EventData } from '#contracts/generated/events.ts'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { LanguageWish } from '#packages/content/captions/language.ts'
import type { MediaFile } from '#packages/content/media/media-cache.ts'
import type { Reading } from '../reading/reading.ts'

export type Video = EventData['VideoFetched']
export type Captions = EventData['CaptionsRead']

/** The requested captions. `words`: with times of single words, if the track has them. */
export type CaptionsWish = LanguageWish & { words: boolean; video: Video }

/** Fields of a video's metadata that are returned only on request. */
export const inclusions = ['captions', 'chapters'] as const

export type Inclusion = (typeof inclusions)[number]

/** The answer of `GET /v1/metadata` (specification: Video metadata). */
export type FoundMetadata = {
  metadata: VideoMetadata
  /** The fields that could not be read in full, in the order of the answer. The platform may have more of them. */
  missing: (keyof VideoMetadata)[]
}

/**
 * Reads the videos of one platform, or direct files. `url` is always the canonical URL of `parseVideoUrl`, with its
 * query. What a source resolves from it (signed URLs, headers, cookies) stays inside the source, which resolves it
 * again once it has expired. Every call may be the first after a restart, on another machine.
 *
 * All methods throw StepError when the attempt fails, and the signal's reason when aborted.
 */
export interface VideoSource {
  readonly name: Video['platform']
  /** Metadata, captions and formats of the video. Downloads it only if there is no other way to know. */
  fetch(url: string, reading: Reading): Promise<Video>
  /** The captions that fit the wish best, cleaned. Undefined if there are none. Never downloads a platform's media. */
  captions(url: string, asked: Reading & CaptionsWish): Promise<Captions | undefined>
  /**
   * The media as a local file, cached or downloaded. `audio`: the smallest with the original sound, or with the dub
   * in `lang`. `video`: the picture, at most 480 lines if there is a choice, maybe without sound.
   */
  openMedia(url: string, asked: Reading & { want: 'audio' | 'video'; lang: string | null }): Promise<MediaFile>
  /**
   * The metadata of the video, and the fields that could not be read. A field is null if the platform does not show it.
   */
  metadata(url: string, asked: Reading & { include?: readonly Inclusion[] }): Promise<FoundMetadata>
}
