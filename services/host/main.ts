/** `npm start`: the whole service in one process, on the embedded adapters where no engine is configured. */
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { type Config, readConfig } from '#packages/config/config.ts'
import { banner } from './banner.ts'
import { clearTemporary, openDataDirectory } from './data-directory.ts'
import { runProcess } from './run-process.ts'
import { withSandbox } from './sandbox.ts'
import { partNames, serve } from './serve.ts'

async function serveAll(wanted: Config, stop: AbortSignal, gaveUp: () => void): Promise<void> {
  await using world = await withSandbox(wanted, process.argv.slice(2))
  const { config, isSandbox } = world
  const data = await openDataDirectory(config.dataDir)
  using _lock = lockDataDirectory(data.path)
  await clearTemporary(data)
  await serve({
    service: 'all-in-one',
    parts: partNames,
    config,
    data,
    stop,
    gaveUp,
    onServing: (port, speech) => console.log(banner({ config, isSandbox, dataPath: data.path, port, speech })),
  })
}

await runProcess((stop, gaveUp) => serveAll(readConfig(process.env), stop, gaveUp))
