/**
 * `npm run service -- NAME`: one service in a process of its own: ingress, orchestrator, projections, retention, fetch,
 * caption, speech-to-text or extract. Several processes may run the same one. Variables: ops/configuration.md.
 */
import { type Config, readConfig } from '#packages/config/config.ts'
import { banner } from './banner.ts'
import { openDataDirectory, withOwnTemporary } from './data-directory.ts'
import { missingEngines } from './missing-engines.ts'
import { runProcess } from './run-process.ts'
import { type PartName, partNames, serve } from './serve.ts'

async function serveOne(part: PartName, config: Config, stop: AbortSignal, gaveUp: () => void): Promise<void> {
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
    gaveUp,
    onServing(port) {
      if (part === 'ingress') console.log(banner({ config, isSandbox: false, dataPath: data.path, port }))
      process.send?.({ port })
    },
  })
}

const [name, ...rest] = process.argv.slice(2)
const part = partNames.find((each) => each === name)
if (part !== undefined && rest.length === 0)
  await runProcess((stop, gaveUp) => serveOne(part, readConfig(process.env), stop, gaveUp))
else {
  console.error(`Usage: npm run service -- ${partNames.join(' | ')}`)
  process.exitCode = 2
}
