import { invalidRequest } from '#packages/errors/service-error.ts'
import { parseVideoUrl, type VideoUrl } from '#packages/platforms/parse-video-url.ts'
import type { Platform } from '#packages/platforms/platform.ts'

/** What the ingress asks of the platforms. */
export type Sources = {
  /** @throws ServiceError unavailable, naming the platform, where it cannot be read */
  for(video: VideoUrl): Pick<Platform, 'metadata'>
}

/**
 * What a URL leads to and who reads it; no network is touched.
 * @throws ServiceError invalid_request naming `url`; unavailable for a platform that cannot be read
 */
export function sourceOf(sources: Sources, url: string): { video: VideoUrl; source: Pick<Platform, 'metadata'> } {
  const video = parseVideoUrl(url)
  if (!video.accepted) throw invalidRequest({ path: 'url', message: video.reason })
  return { video, source: sources.for(video) }
}
