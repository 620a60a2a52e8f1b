import type { SandboxPlatform } from '../sandbox-platform.ts'
import { instagramVideos } from './catalogue.ts'
import { instagramFields } from './fields.ts'
import { instagramSites } from './site.ts'

export const instagramSandbox: SandboxPlatform = {
  sites: instagramSites,
  videos: instagramVideos,
  fields: instagramFields,
}
