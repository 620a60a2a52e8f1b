import type { EventData } from '#contracts/generated/events.ts'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { MediaFile } from '#packages/media/media-cache.ts'
import type { Reading } from '../reading/reading.ts'

export type Video = EventData['VideoFetched']
export type Captions = EventData['CaptionsRead']

/**
 * Reads the videos of one platform, or direct files. `url` is always the canonical URL of `parseVideoUrl`, with its query: what a
 * platform resolves from it (signed addresses, headers, cookies) stays inside the platform, which resolves anew when
 * something has expired. Every call may be the first after a restart, on another machine.
 *
 * All throw StepError for what ends an attempt, and the signal's reason when aborted.
 */
export interface VideoSource {
  readonly name: Video['platform']
  /** What the video is, which captions and formats it has. Downloads only where there is no other way to know. */
  fetch(url: string, reading: Reading): Promise<Video>
  /** The captions that fit `lang` best, cleaned; undefined when the video has none. Never reads media of a platform. */
  captions(url: string, asked: Reading & { lang: string | null; video: Video }): Promise<Captions | undefined>
  /**
   * The media on this machine, from the cache or downloaded. `audio`: the smallest with the original sound, or in `lang`
   * where the platform has dubs; `video`: the picture, at most 480 lines where there is a choice, maybe without sound.
   */
  openMedia(url: string, asked: Reading & { want: 'audio' | 'video'; lang: string | null }): Promise<MediaFile>
  /** What `GET /v1/metadata` answers (specification: Video metadata); null where the platform does not tell. */
  metadata(url: string, reading: Reading): Promise<VideoMetadata>
}
