import type { Config } from '#packages/config/config.ts'
import { banner } from './banner.ts'
import { openDataDirectory, withOwnTemporary } from './data-directory.ts'
import { missingEngines } from './missing-engines.ts'
import { runProcess } from './run-process.ts'
import { type PartName, serve } from './serve.ts'

/** One service in a process of its own, of which there may be many. Serves until it is stopped. */
export const serveAlone = (part: PartName, config: () => Config): Promise<void> =>
  runProcess((stop) => serveOne(part, config(), stop))

async function serveOne(part: PartName, config: Config, stop: AbortSignal): Promise<void> {
  const missing = missingEngines(config, [part])
  if (missing.length > 0)
    throw new Error(
      `${part} by itself needs ${missing.join(', ')}; without them, npm start runs everything in one process`,
    )
  await using data = await withOwnTemporary(await openDataDirectory(config.dataDir), part)
  await serve({
    service: part,
    parts: [part],
    config,
    data,
    stop,
    onServing(port) {
      if (part === 'ingress') console.log(banner({ config, isSandbox: false, dataPath: data.path, port }))
      process.send?.({ port })
    },
  })
}
