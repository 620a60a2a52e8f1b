import type { EventData } from '#contracts/generated/events.ts'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { MediaFile } from '#packages/media/media-cache.ts'
import type { OnWait } from '#packages/work/shared-work.ts'

export type Video = EventData['VideoFetched']
export type Captions = EventData['CaptionsRead']

/** Who reads, and until when. */
export type Reading = {
  /** The job's id, or a synchronous request's. */
  owner: string
  /**
   * Who is served: no organization has all the workers, and what must not be shared (signed URLs) is kept apart by it.
   * Undefined: an operator, each of whose requests stands for itself.
   */
  organization?: string
  /** How often a platform has refused (`platform_blocked`) this owner so far: each time asks for another exit address. */
  refusals: number
  /** Whether the host of a direct file has been asked as often as it may be for this owner. */
  exhausted?: boolean
  /** Whether this owner has tried the same before, without a result. */
  again?: boolean
  /** Told when the reading waits for the share of whom it serves. */
  onWait?: OnWait
  signal: AbortSignal
}

/**
 * Reads the videos of one platform. `url` is always the canonical URL of `parseVideoUrl`, with its query: what a
 * platform resolves from it (signed addresses, headers, cookies) stays inside the platform, which resolves anew when
 * something has expired. Every call may be the first after a restart, on another machine.
 *
 * All throw StepError for what ends an attempt, and the signal's reason when aborted.
 */
export interface Platform {
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
