import { StepError } from '#packages/errors/step-error.ts'
import type { MediaFile } from '#packages/media/media-cache.ts'
import { createDirect, type DirectOptions } from './direct/direct.ts'
import { parseVideoUrl, type VideoUrl } from './parse-video-url.ts'
import type { Platform } from './platform.ts'

/** Every platform this service can read. */
export type Platforms = {
  /** Who reads a parsed URL; undefined for a platform that cannot be read yet. */
  find(parsed: VideoUrl): Platform | undefined
  /**
   * The platform of a job's URL.
   * @throws StepError `video_unavailable` when it is no video's, or one of a platform that cannot be read
   */
  at(url: string): Platform
  /**
   * The media of a job's URL on this machine, downloaded when it is not there. Dispose of it when done.
   * @throws as `at` does; StepError; the signal's reason when aborted
   */
  openMedia(url: string, asked: { want: 'audio' | 'video'; signal: AbortSignal }): Promise<MediaFile>
}

/** The platforms there are; so far, media files. */
export function createPlatforms(options: DirectOptions): Platforms {
  const available: Platform[] = [createDirect(options)]

  const find = (parsed: VideoUrl) => available.find(({ name }) => name === parsed.platform)
  const at = (url: string): Platform => {
    const parsed = parseVideoUrl(url)
    const platform = parsed.accepted ? find(parsed) : undefined
    // the door lets no such URL in
    if (!platform) throw new StepError('video_unavailable')
    return platform
  }
  return { find, at, openMedia: (url, asked) => at(url).openMedia(url, asked) }
}
