import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, platformProxy } from '#packages/config/config.ts'
import { createEgressRoutes } from '#packages/egress/egress-routes.ts'
import { type MediaCache, openMediaCache } from '#packages/media/media-cache.ts'
import { createPlatforms, type Platforms } from '#packages/platforms/create-platforms.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { createReader } from '#packages/platforms/ytdlp/create-reader.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { DataDirectory } from './data-directory.ts'

/** The interpreter of the virtual environment that ops/setup makes. */
export const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))

/** What is outside, and the cache of what was brought from there. */
export type Outside = { platforms: Platforms; cache: MediaCache } & AsyncDisposable

/** Everything that reaches outside, as `config` has it: egress routes, readers, the cache of what they bring. */
export async function openOutside(
  config: Config,
  data: DataDirectory,
  ports: { clock: Clock; ids: Ids; log: Logger },
): Promise<Outside> {
  await using opening = new AsyncDisposableStack()
  const { egressCaFile: caFile } = config
  const routes = opening.use(
    await createEgressRoutes({
      proxy: config.egressProxy,
      platformProxies: Object.fromEntries(platformNames.map((name) => [name, config[platformProxy(name)]])),
      ...(caFile === undefined ? {} : { caFile }),
      log: ports.log,
    }),
  )
  const reader = opening.use(
    createReader({
      ...ports,
      python: PYTHON,
      node: process.execPath,
      directory: join(data.temporary, 'yt-dlp'),
      caFile,
      cookiesDirectory: config.platformCookiesDir,
      potUrl: config.youtubePotUrl,
      maxWorkers: config.ytdlpWorkers,
    }),
  )
  const cache = await openMediaCache({
    ...ports,
    directory: data.media,
    maxBytes: config.mediaCacheBytes,
    maxAgeSeconds: config.mediaCacheSeconds,
  })
  const platforms = createPlatforms({
    ...ports,
    routes,
    reader,
    cache,
    maxBytes: config.mediaMaxBytes,
    maxSeconds: config.mediaMaxSeconds,
    metadataSeconds: config.metadataCacheSeconds,
    profileSeconds: config.profileCacheSeconds,
    searchSeconds: config.searchCacheSeconds,
    braveApiKey: config.braveApiKey,
    searxngUrl: config.searxngUrl,
  })
  const open = opening.move()
  return { platforms, cache, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
