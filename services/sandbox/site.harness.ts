import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEgressRoutes, type EgressRoute, type EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { ProfileReader } from '#packages/platforms/platform-definition.ts'
import type { Browse, SiteOptions } from '#packages/platforms/reading/ask-platform.ts'
import type { DriftReport } from '#packages/platforms/reading/site.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { resolveShortLink } from '#packages/platforms/urls/resolve-short-link.ts'
import { createReader, type OwnReader } from '#packages/platforms/ytdlp/create-reader.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { node } from '#test/doubles/node.ts'
import { python } from '#test/doubles/python.ts'
import { loadMedia, type Media } from './media.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'

type SiteRequest = { method?: 'GET' | 'POST'; headers?: Record<string, string>; exit?: string }
type SiteAnswer = { status: number; location: string | string[] | undefined; body: Buffer }

const PATIENCE_MS = 20_000

/** The sites of one platform, reached through our own egress routes. */
class SiteHarness {
  readonly #opened = new AsyncDisposableStack()
  sandbox!: Sandbox
  films!: Media
  #routes!: EgressRoutes
  #reader!: OwnReader

  async start(sites: (films: Media) => Site[]): Promise<void> {
    this.films = await loadMedia()
    this.sandbox = this.#opened.use(await startSandbox({ sites: sites(this.films) }))
    const { proxyUrl, caFile } = this.sandbox
    const proxy = proxyUrl.replace('//', '//{session}:-@')
    this.#routes = this.#opened.use(
      await createEgressRoutes({ proxy, platformProxies: {}, caFile, log: keptLog().log }),
    )
    this.#reader = await this.openReader()
  }

  /** Our own reader on the sandbox. @param cookiesDirectory the accounts of an operator */
  async openReader(cookiesDirectory?: string): Promise<OwnReader> {
    const directory = await mkdtemp(join(tmpdir(), 'sites-'))
    this.#opened.defer(() => rm(directory, { recursive: true, force: true }))
    const outside = {
      python,
      node,
      caFile: this.sandbox.caFile,
      cookiesDirectory,
      directory: join(directory, 'reader'),
    }
    return this.#opened.use(
      createReader({ ...outside, clock: instantClock(), log: keptLog().log, telemetry: noTelemetry, maxWorkers: 1 }),
    )
  }

  end(): Promise<void> {
    return this.#opened.disposeAsync()
  }

  /** The egress route that has this name in the sandbox. */
  readonly routeOf = (name: string): EgressRoute => this.#routes.of({ platform: undefined, session: name })

  /** Requests the platform's pages like a browser: our own reader, with yt-dlp's Python. */
  readonly browserOf =
    (platform: SocialPlatform, exit = 'mine'): Browse =>
    (question, { signal }) =>
      this.#reader.page({ ...question, platform, route: this.routeOf(exit), signal })

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

  /** The profiles of a platform, read by our own reader, with reports switched off. @param create makes the reader */
  readonly profilesBy = <Profile>(
    create: (options: SiteOptions) => ProfileReader<Profile>,
    platform: SocialPlatform,
  ) => {
    const reports: DriftReport[] = []
    after(() => expect(reports).to.deep.equal([]))
    const profileOf = async (username: string): Promise<Profile> => {
      const read = create({ browse: this.browserOf(platform), report: (report) => reports.push(report) })
      const signal = AbortSignal.timeout(PATIENCE_MS)
      return (await read.first(username, { owner: 'request', refusals: 0, signal })).profile
    }
    const codeOf = async (username: string) => (await failureOf(profileOf(username))).code
    return { profileOf, codeOf }
  }

  /** The canonical URL that a short link leads to. */
  readonly leadsTo = async (link: string): Promise<string> => {
    const parsed = parseVideoUrl(link)
    if (parsed.kind !== 'short') throw new Error(`${link} is no short link`)
    const { egress } = this.routeOf('mine')
    const reading = { owner: 'link', refusals: 0, signal: AbortSignal.timeout(PATIENCE_MS) }
    return (await resolveShortLink(parsed, { egress, browserOf: (name) => this.browserOf(name), reading })).canonical
  }
}

/** A harness for the calling suite. */
export function trySites(sites: (films: Media) => Site[]): Omit<SiteHarness, 'start' | 'end'> {
  const harness = new SiteHarness()
  before(function () {
    // The films may have to be made first.
    this.timeout(60_000)
    return harness.start(sites)
  })
  after(() => harness.end())
  return harness
}
