import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { parseVideoUrl, type VideoUrl } from './parse-video-url.ts'

/**
 * The video that a caller's URL leads to, without network access.
 * @param parse may cache its results
 * @throws ServiceError invalid_request naming `url`
 */
export function videoOf(url: string, parse = parseVideoUrl): VideoUrl {
  const video = parse(url)
  if (!video.accepted) throw invalidRequest({ path: 'url', message: video.reason })
  return video
}
