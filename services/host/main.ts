/**
 * `npm start [-- --sandbox]`: the whole service in one process, on the embedded adapters unless engines are configured.
 *
 * `--sandbox` replaces the real platforms with an invented world, with its own data (services/sandbox/README.md).
 *
 * `npm start -- NAME`: one service of the distributed mode in its own process: ingress, orchestrator, projections,
 * retention, webhooks, batches, watches, fetch, caption, speech-to-text or extract. A list runs several in one process:
 * `npm start -- fetch,caption`. Several processes may run the same services.
 *
 * Environment variables set everything else: ops/configuration.md.
 */
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { banner, containerCommand } from './banner.ts'
import { clearTemporary, openDataDirectory } from './data-directory.ts'
import { localUrl } from './local-url.ts'
import { partsOf } from './processes.ts'
import { runProcess } from './run-process.ts'
import { withSandbox } from './sandbox.ts'
import { partNames, serve } from './serve.ts'
import { serveParts } from './serve-parts.ts'
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
      console.log(
        banner({ config, isSandbox, dataPath: data.path, port, speech, firstOwner, inContainer: containerCommand() }),
      )
    },
  })
}

const [list, ...more] = process.argv.slice(2)
if (list === undefined || list.startsWith('-')) await runProcess(serveAll)
else {
  const parts = more.length === 0 ? partsOf(list) : undefined
  if (parts !== undefined)
    await runProcess((stop, gaveUp) => serveParts(parts, readConfig(process.env), { stop, gaveUp }))
  else {
    console.error(`Usage: npm start [-- --sandbox | NAME[,NAME…]]; names: ${partNames.join(', ')}`)
    process.exitCode = 2
  }
}
