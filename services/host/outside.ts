import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryRateCounters } from '#packages/adapters/memory/rate-counters.ts'
import { countedMediaCache } from '#packages/content/media/counted-media-cache.ts'
import { Launcher } from '#packages/content/media/launcher.ts'
import { type MediaCache, openMediaCache } from '#packages/content/media/media-cache.ts'
import { Thumbnails } from '#packages/content/thumbnails/thumbnails.ts'
import { createEgressRoutes } from '#packages/egress/egress-routes.ts'
import { tracedEgressRoutes } from '#packages/egress/traced-egress.ts'
import { type Config, platformCountry, platformPace, platformProxy } from '#packages/foundation/config/config.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import type { UnpaidLimit } from '#packages/jobs/processing/unpaid-limit.ts'
import type { BreakerOptions } from '#packages/platforms/breakers/breakers.ts'
import { createPlatforms, type Platforms } from '#packages/platforms/create-platforms.ts'
import { type DirectTools, directTools } from '#packages/platforms/direct/direct-tools.ts'
import type { ReadsPerMinute } from '#packages/platforms/pace/pace.ts'
import { platformNames, platforms as registered } from '#packages/platforms/registry.ts'
import { createReader, type OwnReader } from '#packages/platforms/ytdlp/create-reader.ts'
import { tracedReader } from '#packages/platforms/ytdlp/traced-reader.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { tracedTool } from '#packages/telemetry/traced-tool.ts'
import type { DataDirectory } from './data-directory.ts'
import { measured, type OwnTelemetry } from './open-telemetry.ts'
import { observeOutside } from './outside-metrics.ts'
import { platformWarnings } from './platform-warnings.ts'
import { sweepMedia } from './sweep-media.ts'

/** The interpreter of the virtual environment that ops/setup makes. */
export const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))

/** The folder in which ops/ytdlp stores upgrades of yt-dlp. */
export const UPGRADES = fileURLToPath(new URL('../../.venv/ytdlp', import.meta.url))

/** The platforms and egress routes, and the cache of the media read through them. */
export type Outside = AsyncDisposable & {
  platforms: Platforms
  cache: MediaCache
  /** Starts every ffmpeg and ffprobe of this process. */
  launcher: Launcher
  reader: Pick<OwnReader, 'pids'>
  thumbnails: Thumbnails
  /** The parts that may be in trouble. */
  warned: readonly Warned[]
}

/** What the paid steps need. */
export type PaidStepPorts = Pick<Outside, 'platforms' | 'cache' | 'launcher'> &
  Pick<BreakerOptions, 'clock' | 'log'> & { telemetry: OwnTelemetry; unpaid: UnpaidLimit }

type OutsidePorts = Pick<BreakerOptions, 'clock' | 'log' | 'isEstablished'> & { ids: Ids; telemetry: OwnTelemetry }

/** Opens everything that reaches outside: egress routes, readers, the media cache. */
export async function openOutside(config: Config, data: DataDirectory, ports: OutsidePorts): Promise<Outside> {
  await using opening = new AsyncDisposableStack()
  const { egressCaFile: caFile } = config
  const { telemetry } = ports
  const routes = opening.use(
    await createEgressRoutes({
      proxy: config.egressProxy,
      platformProxies: Object.fromEntries(platformNames.map((name) => [name, config[platformProxy(name)]])),
      country: config.egressCountry,
      platformCountries: Object.fromEntries(platformNames.map((name) => [name, config[platformCountry(name)]])),
      ...(caFile === undefined ? {} : { caFile }),
      log: ports.log,
    }),
  )
  const reader = opening.use(
    createReader({
      ...ports,
      python: PYTHON,
      packages: join(UPGRADES, 'current/packages'),
      node: process.execPath,
      directory: join(data.temporary, 'yt-dlp'),
      caFile,
      cookiesDirectory: config.platformCookiesDir,
      potUrl: config.youtubePotUrl,
      maxWorkers: config.ytdlpWorkers,
    }),
  )
  const launcher = opening.use(new Launcher())
  const cache = await openMediaCache({
    ...ports,
    directory: data.media,
    maxBytes: config.mediaCacheBytes,
    maxAgeSeconds: config.mediaCacheSeconds,
  })
  const tracedRoutes = measured(telemetry, routes, tracedEgressRoutes)
  const thumbnails = opening.use(
    new Thumbnails({ ...ports, routes: tracedRoutes, launcher, directory: data.temporary }),
  )
  const platforms = createPlatforms({
    ...ports,
    routes: tracedRoutes,
    reader: measured(telemetry, reader, tracedReader),
    cache: measured(telemetry, cache, countedMediaCache('media')),
    tools: measured(telemetry, directTools(launcher), tracedDirectTools),
    maxBytes: config.mediaMaxBytes,
    maxSeconds: config.mediaMaxSeconds,
    youtubeFirst: config.youtubeFirst,
    metadataSeconds: config.metadataCacheSeconds,
    profileSeconds: config.profileCacheSeconds,
    searchSeconds: config.searchCacheSeconds,
    braveApiKey: config.braveApiKey,
    searxngUrl: config.searxngUrl,
    counters: memoryRateCounters,
    readsPerMinute: readsPerMinuteOf(config),
  })
  opening.use(sweepMedia(cache, ports))
  if (telemetry.isExported) await observeOutside(telemetry, { platforms, cache })
  const open = opening.move()
  return {
    platforms,
    cache,
    launcher,
    reader,
    thumbnails,
    warned: [platformWarnings(platforms), reader.health],
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const readsPerMinuteOf = (config: Config): ReadsPerMinute =>
  Object.fromEntries(
    registered.map(({ name, readsPerMinute }) => [name, config[platformPace(name)] ?? readsPerMinute]),
  ) as ReadsPerMinute

const tracedDirectTools = ({ probe, readEmbedded }: DirectTools, telemetry: Telemetry): DirectTools => ({
  probe: tracedTool(telemetry, 'ffmpeg', 'probe', probe),
  readEmbedded: tracedTool(telemetry, 'ffmpeg', 'read-captions', readEmbedded),
})
