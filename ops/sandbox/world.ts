import { everyVideo } from './every-video.ts'
import { facebookSites } from './facebook/site.ts'
import { instagramSites } from './instagram/site.ts'
import { loadMedia, type Media } from './media.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'
import { tiktokSites } from './tiktok/site.ts'
import { braveSite } from './web-search/brave.ts'
import { searxngSite } from './web-search/searxng.ts'
import { xSites } from './x/site.ts'
import { youtubeSites } from './youtube/site.ts'

/** The sandbox with all that it has. */
export type SandboxWorld = Sandbox & {
  /** For SEARXNG_URL: an operator's own search engine, which is asked directly and not through the proxy. */
  searxngUrl: string
}

/** Every site of the sandbox. Each platform's folder makes its own from the shared films. */
const sitesOf = (media: Media): Site[] => [
  ...youtubeSites(media),
  ...tiktokSites(media),
  ...instagramSites(media),
  ...xSites(media),
  ...facebookSites(media),
  braveSite(everyVideo),
  searxngSite(everyVideo),
]

/** Starts the sandbox with the five platforms, their media hosts and the search engines. */
export async function startSandboxWorld(options: { port?: number } = {}): Promise<SandboxWorld> {
  const sandbox = await startSandbox({ ...options, sites: sitesOf(await loadMedia()) })
  return { ...sandbox, searxngUrl: sandbox.proxyUrl }
}
