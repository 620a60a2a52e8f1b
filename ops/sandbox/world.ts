import { loadMedia, type Media } from './media.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'
import { youtubeSites } from './youtube/site.ts'

/** Every site of the sandbox. Each platform's folder makes its own from the shared films. */
const sitesOf = (media: Media): Site[] => [...youtubeSites(media)]

/** Starts the sandbox with all that it has: the five platforms, the search providers and the media hosts. */
export async function startSandboxWorld(options: { port?: number } = {}): Promise<Sandbox> {
  return startSandbox({ ...options, sites: sitesOf(await loadMedia()) })
}
