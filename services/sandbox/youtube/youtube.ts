import type { SandboxPlatform } from '../sandbox-platform.ts'
import { youtubeVideos } from './catalogue.ts'
import { youtubeFields } from './fields.ts'
import { youtubeSites } from './site.ts'

export const youtubeSandbox: SandboxPlatform = { sites: youtubeSites, videos: youtubeVideos, fields: youtubeFields }
