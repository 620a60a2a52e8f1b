/**
 * `npm run service -- NAME`: runs one service in its own process: ingress, orchestrator, projections, retention,
 * webhooks, fetch, caption, speech-to-text or extract. A list runs several in one process: `npm run service --
 * fetch,caption`. Several processes may run the same services. Variables: ops/configuration.md.
 */
import { type Config, readConfig } from '#packages/foundation/config/config.ts'
import { banner } from './banner.ts'
import { openDataDirectory, withOwnTemporary } from './data-directory.ts'
import { missingEngines } from './missing-engines.ts'
import { partsOf, processName } from './processes.ts'
import { runProcess } from './run-process.ts'
import { type PartName, partNames, serve } from './serve.ts'

async function serveSome(
  parts: readonly PartName[],
  config: Config,
  stop: AbortSignal,
  gaveUp: () => void,
): Promise<void> {
  const service = processName(parts)
  const missing = missingEngines(config, parts)
  if (missing.length > 0)
    throw new Error(
      `${service} by itself needs ${missing.join(', ')}; without them, npm start runs everything in one process`,
    )
  await using data = await withOwnTemporary(await openDataDirectory(config.dataDir), service)
  await serve({
    service,
    parts,
    config,
    data,
    stop,
    gaveUp,
    onServing(port, _speech, firstOwner) {
      if (parts.includes('ingress'))
        console.log(banner({ config, isSandbox: false, dataPath: data.path, port, firstOwner }))
      process.send?.({ port })
    },
  })
}

const [list = '', ...rest] = process.argv.slice(2)
const parts = rest.length === 0 ? partsOf(list) : undefined
if (parts !== undefined) await runProcess((stop, gaveUp) => serveSome(parts, readConfig(process.env), stop, gaveUp))
else {
  console.error(`Usage: npm run service -- NAME[,NAME…]; names: ${partNames.join(', ')}`)
  process.exitCode = 2
}
