import { ServiceError } from '#packages/errors/service-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { MediaFile } from '#packages/media/media-cache.ts'
import { createDirect, type DirectOptions } from './direct/direct.ts'
import { parseVideoUrl, urlFamilies, type VideoUrl } from './parse-video-url.ts'
import type { Platform } from './platform.ts'

/** Every platform this service can read. */
export type Platforms = {
  /** The platform of a parsed URL. @throws ServiceError `unavailable`, naming it, when it cannot be read */
  for(parsed: VideoUrl): Platform
  /**
   * The platform of a job's URL.
   * @throws StepError `video_unavailable` when it is no video's; ServiceError as `for` does
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

  const find = (parsed: VideoUrl): Platform => {
    const platform = available.find(({ name }) => name === parsed.platform)
    if (platform) return platform
    const label = urlFamilies.find((family) => family.platform === parsed.platform)?.label ?? parsed.platform
    throw new ServiceError('unavailable', `Videos of ${label} (${parsed.platform}) cannot be read by this service yet.`)
  }
  const at = (url: string): Platform => {
    const parsed = parseVideoUrl(url)
    if (!parsed.accepted) throw new StepError('video_unavailable')
    return find(parsed)
  }
  return { for: find, at, openMedia: (url, asked) => at(url).openMedia(url, asked) }
}
