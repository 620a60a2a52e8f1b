import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { parseVideoUrl, type VideoUrl } from '#packages/platforms/parse-video-url.ts'
import type { Platform } from '#packages/platforms/platform.ts'
import { urlFamilies } from '#packages/platforms/url-families.ts'

/** What the ingress asks of the platforms. */
export type Sources = {
  /** Who reads a video; undefined for a platform that cannot be read yet. */
  find(video: VideoUrl): Pick<Platform, 'metadata'> | undefined
}

/**
 * What a URL leads to and who reads it; no network is touched.
 * @throws ServiceError invalid_request naming `url`; unavailable, naming the platform, where it cannot be read
 */
export function sourceOf(sources: Sources, url: string): { video: VideoUrl; source: Pick<Platform, 'metadata'> } {
  const video = parseVideoUrl(url)
  if (!video.accepted) throw invalidRequest({ path: 'url', message: video.reason })
  const source = sources.find(video)
  if (source !== undefined) return { video, source }
  const label = urlFamilies.find(({ platform }) => platform === video.platform)?.label ?? video.platform
  throw new ServiceError('unavailable', `Videos of ${label} (${video.platform}) cannot be read by this service yet.`, {
    details: { platform: video.platform },
  })
}
