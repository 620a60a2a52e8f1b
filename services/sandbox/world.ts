import { startStandInModels } from './llm/stand-in-models.ts'
import { loadMedia, type Media } from './media.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { everyVideo, sandboxPlatforms } from './sandbox-platforms.ts'
import { fileOf, type Site } from './site.ts'
import { braveSite } from './web-search/brave.ts'
import { searxngSite } from './web-search/searxng.ts'

/** The sandbox with all sites, the search engines and the models. */
export type SandboxWorld = Sandbox & {
  /** For SEARXNG_URL: an operator's own search engine, which is reached directly and not through the proxy. */
  searxngUrl: string
  /** For LLM_BASE_URL and SPEECH_BASE_URL: a stand-in for an operator's own models. */
  modelsUrl: string
}

/** Every site of the sandbox. Each platform's folder makes its own from the shared films. */
const sitesOf = (media: Media): Site[] => [
  ...Object.values(sandboxPlatforms).flatMap(({ sites }) => sites(media)),
  mediaFilesSite(media),
  braveSite(everyVideo),
  searxngSite(everyVideo),
]

/**
 * Starts the sandbox with all platforms, their media hosts, the search engines and the stand-in for models.
 * @param also further sites
 */
export async function startSandboxWorld(also: readonly Site[] = []): Promise<SandboxWorld> {
  await using opening = new AsyncDisposableStack()
  const sandbox = opening.use(await startSandbox([...sitesOf(await loadMedia()), ...also]))
  const models = opening.use(await startStandInModels(sandbox.disturbances))
  const open = opening.move()
  const { proxyUrl: searxngUrl } = sandbox
  return { ...sandbox, searxngUrl, modelsUrl: models.baseUrl, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** A host of media files, for requests with the URL of a file: `http://films.example.com/sense-and-sensibility.mp4`. */
const mediaFilesSite = ({ chapter }: Media): Site => ({
  hosts: ['films.example.com'],
  answer: ({ url }) => (url.pathname === '/sense-and-sensibility.mp4' ? fileOf(chapter.film) : undefined),
})
