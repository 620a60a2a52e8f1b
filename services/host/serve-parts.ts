import type { Config } from '#packages/foundation/config/config.ts'
import { banner, containerCommand } from './banner.ts'
import { openDataDirectory, withOwnTemporary } from './data-directory.ts'
import { missingEngines } from './missing-engines.ts'
import { processName } from './processes.ts'
import { type PartName, type Serving, serve } from './serve.ts'

/**
 * Serves some of the parts, on the servers that they need.
 * @throws Error a variable that names one of these servers is not set
 */
export async function serveParts(
  parts: readonly PartName[],
  config: Config,
  end: Pick<Serving, 'stop' | 'gaveUp'>,
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
    ...end,
    onServing(port, _speech, firstOwner) {
      const inContainer = containerCommand()
      if (parts.includes('ingress'))
        console.log(banner({ config, isSandbox: false, dataPath: data.path, port, firstOwner, inContainer }))
      process.send?.({ port })
    },
  })
}
