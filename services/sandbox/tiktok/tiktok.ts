import type { SandboxPlatform } from '../sandbox-platform.ts'
import { tiktokVideos } from './catalogue.ts'
import { tiktokFields } from './fields.ts'
import { tiktokSites } from './site.ts'

export const tiktokSandbox: SandboxPlatform = { sites: tiktokSites, videos: tiktokVideos, fields: tiktokFields }
