import type { SandboxPlatform } from '../sandbox-platform.ts'
import { facebookVideos } from './catalogue.ts'
import { facebookFields } from './fields.ts'
import { facebookSites } from './site.ts'

export const facebookSandbox: SandboxPlatform = { sites: facebookSites, videos: facebookVideos, fields: facebookFields }
