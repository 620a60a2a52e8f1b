import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { createReader } from '#packages/platforms/ytdlp/create-reader.ts'
import type { Reader, ReaderWish } from '#packages/platforms/ytdlp/reader.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import type { CaptionTrack, CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { filmNames, secondsOf } from '#services/sandbox/films.ts'
import type { Media } from '#services/sandbox/media.ts'
import { startSandbox } from '#services/sandbox/sandbox.ts'
import { sandboxPlatforms } from '#services/sandbox/sandbox-platforms.ts'

/** The bytes of every film. Their content does not matter here, and the image has no recordings. */
const BYTES = { type: 'application/octet-stream', body: Buffer.alloc(4096, 'film') }
const film = { film: BYTES, picture: BYTES, m4a: BYTES, webm: BYTES, thumbnail: BYTES }
const media = Object.fromEntries(filmNames.map((name) => [name, film])) as Media

const PATIENCE_MS = 60_000

/**
 * Reads one video of each platform of the sandbox, with captions and media, as workers do: with the real yt-dlp.
 * `packages`: the folder of that yt-dlp; undefined: the pinned one. @throws Error with what does not work
 */
export async function testOnSandbox(python: string, packages: string | undefined): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const sites = Object.values(sandboxPlatforms).flatMap((platform) => platform.sites(media))
  const sandbox = opened.use(await startSandbox(sites))
  const directory = await mkdtemp(join(tmpdir(), 'yt-dlp-self-test-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const log = createLog('yt-dlp-self-test', 'silent')
  const { caFile } = sandbox
  const ports = { clock, log, telemetry: noTelemetry }
  const node = process.execPath
  const reader = opened.use(createReader({ ...ports, python, packages, node, directory, caFile, maxWorkers: 1 }))
  for (const { videos } of Object.values(sandboxPlatforms)) {
    const playing = videos.filter(({ trouble }) => trouble === undefined)
    const video = playing.find(({ captions }) => captions.length > 0) ?? playing[0]
    if (video) await tryVideo(reader, sandbox.proxyUrl, directory, video)
  }
}

async function tryVideo(reader: Reader, proxyUrl: string, directory: string, video: CatalogueVideo): Promise<void> {
  const { platform, url: canonicalUrl } = video
  const route: EgressRoute = {
    address: 'sandbox',
    via: 'direct',
    hasSession: false,
    egress: undefined as never,
    proxyUrl,
  }
  const wish: ReaderWish = { canonicalUrl, platform, route, signal: AbortSignal.timeout(PATIENCE_MS) }
  const must = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(what)
  }
  try {
    const info = await reader.info(wish)
    must(Math.abs((info.durationSeconds ?? 0) - secondsOf(video.film)) < 1, 'another length')
    const [spoken] = video.captions
    const track = info.captions.find(({ language }) => language === spoken?.language)
    must(spoken === undefined || track !== undefined, 'no captions')
    if (track) must((await reader.captions(wish, track)).includes(firstWordOf(spoken)), 'other captions')
    const whole = info.formats.find(({ protocol, acodec }) => protocol === 'https' && acodec !== 'none')
    must(whole !== undefined, 'no media')
    const path = join(directory, platform)
    const asked = { formatId: whole?.formatId ?? '', path, maxBytes: 10_000_000, reserve: async () => {} }
    await reader.media(wish, asked)
    must((await readFile(path)).includes('film'), 'other media')
  } catch (error) {
    const { cause } = error as Error
    throw new Error(`${platform}: ${(error as Error).message} ${cause instanceof Error ? cause.message : ''}`.trim(), {
      cause,
    })
  }
}

/** Every caption format contains the spoken words, with its own markup between them. */
const firstWordOf = (track: CaptionTrack | undefined): string => track?.cues[0]?.text.split(/\W/)[0] ?? ''
