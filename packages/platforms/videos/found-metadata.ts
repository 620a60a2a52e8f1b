import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { Embedded } from '../oembed/read-oembed.ts'
import type { SocialPlatform } from '../registry.ts'
import type { Inclusion } from './video-source.ts'

/** The answer of `GET /v1/metadata`. */
export type FoundMetadata = {
  metadata: VideoMetadata
  /** The fields that could not be read, in the order of the answer. What the platform has of them is not known. */
  missing: (keyof VideoMetadata)[]
}

/** Metadata of a video that the platform shows to pages which embed it, and nowhere else. */
export function ofEmbedded(
  platform: SocialPlatform,
  { title, author, thumbnail }: Embedded,
  include: readonly Inclusion[],
): FoundMetadata {
  const metadata = { title, author, platform, duration: null, viewCount: null, likeCount: null, thumbnail }
  const fields = Object.keys(metadata) as (keyof typeof metadata)[]
  return { metadata, missing: [...fields.filter((field) => metadata[field] === null), ...include] }
}
