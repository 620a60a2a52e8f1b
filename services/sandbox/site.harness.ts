import { expect } from 'chai'
import { createEgressRoutes, type EgressRoute, type EgressRoutes } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { ReadProfile } from '#packages/platforms/platform-definition.ts'
import type { DriftReport } from '#packages/platforms/reading/site.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { resolveShortLink } from '#packages/platforms/urls/resolve-short-link.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { loadMedia, type Media } from './media.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'

type SiteRequest = { method?: 'GET' | 'POST'; headers?: Record<string, string>; exit?: string }
type SiteAnswer = { status: number; location: string | string[] | undefined; body: Buffer }

const PATIENCE_MS = 10_000

/** The sites of one platform, reached through our own egress routes. */
class SiteHarness {
  readonly #opened = new AsyncDisposableStack()
  sandbox!: Sandbox
  films!: Media
  #routes!: EgressRoutes

  async start(sites: (films: Media) => Site[]): Promise<void> {
    this.films = await loadMedia()
    this.sandbox = this.#opened.use(await startSandbox({ sites: sites(this.films) }))
    const { proxyUrl, caFile } = this.sandbox
    const proxy = proxyUrl.replace('//', '//{session}:-@')
    this.#routes = this.#opened.use(
      await createEgressRoutes({ proxy, platformProxies: {}, caFile, log: keptLog().log }),
    )
  }

  end(): Promise<void> {
    return this.#opened.disposeAsync()
  }

  /** The egress route that has this name in the sandbox. */
  readonly routeOf = (name: string): EgressRoute => this.#routes.of({ platform: undefined, session: name })

  /** The answer of an address. Redirects are not followed. */
  readonly ask = async (url: string, { exit = 'mine', ...request }: SiteRequest = {}): Promise<SiteAnswer> => {
    const more = { signal: AbortSignal.timeout(PATIENCE_MS), maxBytes: 10_000_000, redirect: 'manual' } as const
    await using answer = await this.routeOf(exit).egress.request(url, { ...request, ...more })
    const pieces: Uint8Array[] = []
    for await (const piece of answer.body) pieces.push(piece)
    return { status: answer.status, location: answer.headers.location, body: Buffer.concat(pieces) }
  }

  readonly statusOf = async (url: string, request: SiteRequest = {}): Promise<number> =>
    (await this.ask(url, request)).status

  /** The profiles of a platform, read by our own reader, which has nothing to report. @param create makes the reader */
  readonly profilesBy = <Profile>(
    create: (options: { routeOf: () => EgressRoute; report: (report: DriftReport) => void }) => ReadProfile<Profile>,
  ) => {
    const reports: DriftReport[] = []
    after(() => expect(reports).to.deep.equal([]))
    const profileOf = (username: string, limit = 12) => {
      const read = create({ routeOf: () => this.routeOf('mine'), report: (report) => reports.push(report) })
      const signal = AbortSignal.timeout(PATIENCE_MS)
      return read({ username, limit }, { owner: 'request', refusals: 0, signal })
    }
    const codeOf = (username: string): Promise<unknown> =>
      profileOf(username).then(
        () => 'nothing thrown',
        (error) => (error instanceof StepError ? error.code : error),
      )
    return { profileOf, codeOf }
  }

  /** The canonical URL to which a short link leads. */
  readonly leadsTo = async (link: string): Promise<string> => {
    const parsed = parseVideoUrl(link)
    if (parsed.kind !== 'short') throw new Error(`${link} is no short link`)
    const { egress } = this.routeOf('mine')
    return (await resolveShortLink(parsed, egress, AbortSignal.timeout(PATIENCE_MS))).canonical
  }
}

/** A harness for the calling suite. */
export function trySites(sites: (films: Media) => Site[]): Omit<SiteHarness, 'start' | 'end'> {
  const harness = new SiteHarness()
  before(function () {
    // the films may have to be made
    this.timeout(60_000)
    return harness.start(sites)
  })
  after(() => harness.end())
  return harness
}
