import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Segment } from '#packages/content/captions/clean.ts'
import { parseTrack } from '#packages/content/captions/parse-track.ts'
import { createEgressRoutes, type EgressRoute, type EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { ProfileReader } from '#packages/platforms/platform-definition.ts'
import type { Browse, SiteOptions } from '#packages/platforms/reading/ask-platform.ts'
import type { DriftReport } from '#packages/platforms/reading/site.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { resolveShortLink } from '#packages/platforms/urls/resolve-short-link.ts'
import { createReader, type OwnReader, type ReaderOptions } from '#packages/platforms/ytdlp/create-reader.ts'
import type { CaptionTrackInfo, VideoInfo } from '#packages/platforms/ytdlp/info.ts'
import type { ReaderWish } from '#packages/platforms/ytdlp/reader.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { node } from '#test/doubles/node.ts'
import { python } from '#test/doubles/python.ts'
import { scriptedRoute } from '#test/doubles/scripted-route.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { loadMedia, type Media } from './media.ts'
import { needYtdlp } from './real-ytdlp.harness.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'

type SiteRequest = { method?: 'GET' | 'POST'; headers?: Record<string, string>; exit?: string }
type SiteAnswer = { status: number; location: string | string[] | undefined; body: Buffer }

type Video = Pick<CatalogueVideo, 'url' | 'platform'>

/** Further options of the reader. The stack owns their resources; their files go into the directory. */
type MoreOptions = (opened: AsyncDisposableStack, directory: string) => Promise<Partial<ReaderOptions>>

const PATIENCE_MS = 20_000

/** The sites of one platform, reached through our own egress routes, and read by our own reader. */
class SiteHarness {
  readonly #opened = new AsyncDisposableStack()
  sandbox!: Sandbox
  films!: Media
  #directory!: string
  #routes!: EgressRoutes
  #reader!: OwnReader

  async start(sites: (films: Media) => Site[], moreOptions: MoreOptions): Promise<void> {
    this.films = await loadMedia()
    this.sandbox = this.#opened.use(await startSandbox(sites(this.films)))
    const { proxyUrl, caFile } = this.sandbox
    const proxy = proxyUrl.replace('//', '//{session}:-@')
    this.#routes = this.#opened.use(
      await createEgressRoutes({ proxy, platformProxies: {}, caFile, log: keptLog().log }),
    )
    this.#directory = this.#opened.use(await temporaryDirectory()).path
    this.#reader = await this.openReader(await moreOptions(this.#opened, this.#directory))
  }

  /** Our own reader on the sandbox. */
  async openReader(more: Partial<ReaderOptions> = {}): Promise<OwnReader> {
    const directory = this.#opened.use(await temporaryDirectory()).path
    const { caFile } = this.sandbox
    const ports = { clock: instantClock(), log: keptLog().log, telemetry: noTelemetry }
    return this.#opened.use(createReader({ ...ports, python, node, caFile, directory, maxWorkers: 1, ...more }))
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

  /** @param exit the user name for the sandbox's proxy; @param tokenExit the one for the proxy for proof tokens */
  readonly infoOf = (video: Video, exit?: string, tokenExit = exit): Promise<VideoInfo> => {
    const wish = this.#wishFor(video)
    const route = { ...wish.route, proxyUrl: this.#proxyOf(exit), nextHop: this.#proxyOf(tokenExit) }
    return this.#reader.info({ ...wish, route })
  }

  async cuesOf(video: Video, track: CaptionTrackInfo): Promise<Segment[]> {
    return parseTrack(await this.#reader.captions(this.#wishFor(video), track), track.ext)
  }

  /** Downloads a format of a video. @returns the file of its film that has these bytes */
  async fileOf(video: CatalogueVideo, formatId: string | undefined): Promise<string> {
    const path = join(this.#directory, 'media')
    const wanted = { formatId: formatId ?? 'none', path, maxBytes: 10_000_000, reserve: async () => {} }
    await this.#reader.media(this.#wishFor(video), wanted)
    const bytes = await readFile(path)
    const [name] = Object.entries(this.films[video.film]).find(([, { body }]) => body.equals(bytes)) ?? []
    return name ?? `${bytes.length} other bytes`
  }

  #proxyOf(exit: string | undefined): string {
    return exit === undefined ? this.sandbox.proxyUrl : this.sandbox.proxyUrl.replace('//', `//${exit}:-@`)
  }

  #wishFor({ url: canonicalUrl, platform }: Video): ReaderWish {
    const route = { ...scriptedRoute(() => undefined), proxyUrl: this.sandbox.proxyUrl }
    return { canonicalUrl, platform, route, signal: AbortSignal.timeout(30_000) }
  }
}

/** A harness for the calling suite. */
export function trySites(
  sites: (films: Media) => Site[],
  moreOptions: MoreOptions = async () => ({}),
): Omit<SiteHarness, 'start' | 'end'> {
  const harness = new SiteHarness()
  before(function () {
    // The films may have to be made first.
    this.timeout(60_000)
    return harness.start(sites, moreOptions)
  })
  after(() => harness.end())
  return harness
}

/** A harness for a suite that reads videos. Without yt-dlp its tests are skipped, with the reason. */
export function tryReader(...given: Parameters<typeof trySites>): ReturnType<typeof trySites> {
  needYtdlp()
  return trySites(...given)
}
