import { mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Segment } from '#packages/content/captions/clean.ts'
import { parseTrack } from '#packages/content/captions/parse-track.ts'
import { createReader, type ReaderOptions } from '#packages/platforms/ytdlp/create-reader.ts'
import type { CaptionTrackInfo, VideoInfo } from '#packages/platforms/ytdlp/info.ts'
import type { Reader, ReaderWish } from '#packages/platforms/ytdlp/reader.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { node } from '#test/doubles/node.ts'
import { python } from '#test/doubles/python.ts'
import { scriptedRoute } from '#test/doubles/scripted-route.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { loadMedia, type Media } from './media.ts'
import { needYtdlp } from './real-ytdlp.harness.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'

type Video = Pick<CatalogueVideo, 'url' | 'platform'>

/** Options in addition to those of the harness. The stack owns their resources; their files go into the directory. */
type MoreOptions = (opened: AsyncDisposableStack, directory: string) => Promise<Partial<ReaderOptions>>

/** Our own reader on the sites of one platform. */
class ReaderHarness {
  readonly #opened = new AsyncDisposableStack()
  sandbox!: Sandbox
  films!: Media
  #directory!: string
  #reader!: Reader

  async start(sites: (films: Media) => Site[], moreOptions: MoreOptions): Promise<void> {
    this.films = await loadMedia()
    this.sandbox = this.#opened.use(await startSandbox({ sites: sites(this.films) }))
    const directory = await mkdtemp(join(tmpdir(), 'reader-harness-'))
    this.#opened.defer(() => rm(directory, { recursive: true, force: true }))
    const own = join(directory, 'reader')
    mkdirSync(own)
    const { log } = keptLog()
    const { caFile } = this.sandbox
    const options = {
      python,
      node,
      directory: own,
      clock: instantClock(),
      log,
      telemetry: noTelemetry,
      caFile,
      maxWorkers: 1,
      ...(await moreOptions(this.#opened, directory)),
    }
    this.#reader = this.#opened.use(createReader(options))
    this.#directory = directory
  }

  end(): Promise<void> {
    return this.#opened.disposeAsync()
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

  /** The bytes of a format, downloaded. */
  async mediaOf(video: Video, formatId: string): Promise<Buffer> {
    const path = join(this.#directory, 'media')
    await this.#reader.media(this.#wishFor(video), { formatId, path, maxBytes: 10_000_000, reserve: async () => {} })
    return readFile(path)
  }

  #proxyOf(exit: string | undefined): string {
    return exit === undefined ? this.sandbox.proxyUrl : this.sandbox.proxyUrl.replace('//', `//${exit}:-@`)
  }

  #wishFor({ url: canonicalUrl, platform }: Video): ReaderWish {
    const route = { ...scriptedRoute(() => undefined), proxyUrl: this.sandbox.proxyUrl }
    return { canonicalUrl, platform, route, signal: AbortSignal.timeout(30_000) }
  }
}

/** A harness for the calling suite. Without yt-dlp its tests are skipped, with the reason. */
export function tryReader(
  sites: (films: Media) => Site[],
  moreOptions: MoreOptions = async () => ({}),
): Omit<ReaderHarness, 'start' | 'end'> {
  const harness = new ReaderHarness()
  needYtdlp()
  before(() => harness.start(sites, moreOptions))
  after(() => harness.end())
  return harness
}
