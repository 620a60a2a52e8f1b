/**
 * `npm start [-- --sandbox]`: the whole service in one process, on the embedded adapters unless engines are configured.
 *
 * `--sandbox` replaces the real platforms with an invented world, with its own data (services/sandbox/README.md).
 * Environment variables set everything else: ops/configuration.md.
 */
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { banner } from './banner.ts'
import { clearTemporary, openDataDirectory } from './data-directory.ts'
import { localUrl } from './local-url.ts'
import { runProcess } from './run-process.ts'
import { withSandbox } from './sandbox.ts'
import { partNames, serve } from './serve.ts'
import { noteService } from './service-note.ts'

async function serveAll(stop: AbortSignal, gaveUp: () => void): Promise<void> {
  await using world = await withSandbox(process.env, process.argv.slice(2))
  const { config, isSandbox } = world
  const data = await openDataDirectory(config.dataDir)
  using _lock = lockDataDirectory(data.path)
  await clearTemporary(data)
  using noted = new DisposableStack()
  await serve({
    service: 'all-in-one',
    parts: partNames,
    config,
    data,
    stop,
    gaveUp,
    isSandbox,
    onServing(port, speech, firstOwner) {
      // Writes no note if the events are on a server: commands cannot find them by the data directory.
      const note = { url: localUrl(config.host, port), sandboxUrl: isSandbox ? config.egressProxy : undefined }
      if (config.eventStoreUrl === undefined) noted.use(noteService(data.path, note))
      console.log(banner({ config, isSandbox, dataPath: data.path, port, speech, firstOwner }))
    },
  })
}

await runProcess(serveAll)
