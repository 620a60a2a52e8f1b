import type { CatalogueVideo } from './catalogue.ts'
import type { Disturbance } from './disturbance.ts'
import type { Media } from './media.ts'
import type { Site } from './site.ts'

/** The sandbox of one platform. */
export type SandboxPlatform = {
  sites(media: Media): Site[]
  videos: readonly CatalogueVideo[]
  /** For each field of a video: the disturbances that remove it from the answers. */
  fields: Readonly<Record<string, Disturbance[]>>
}
