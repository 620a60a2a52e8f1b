import type { SandboxPlatform } from '../sandbox-platform.ts'
import { xVideos } from './catalogue.ts'
import { xFields } from './fields.ts'
import { xSites } from './site.ts'

export const xSandbox: SandboxPlatform = { sites: xSites, videos: xVideos, fields: xFields }
