import type { Config } from '#packages/foundation/config/config.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { sandboxDataDir } from '#services/host/sandbox.ts'
import { noteOn } from '#services/host/service-note.ts'
import { customersOf, type Shell } from './customers.ts'
import { incidents } from './incidents.ts'

/**
 * Runs `disturb INCIDENT` until `stop` is aborted.
 * @param config the configuration of the service on the sandbox
 * @throws Error there is no such command, no service runs there, or the incident cannot happen there
 */
export async function disturb(words: readonly string[], config: Config, { print, stop }: Shell): Promise<void> {
  const [command, name = '', ...rest] = words
  const incident = Object.hasOwn(incidents, name) ? incidents[name] : undefined
  if (command !== 'disturb' || incident === undefined || rest.length > 0)
    throw new Error(`usage: npm run sandbox -- disturb ${Object.keys(incidents).join('|')}`)
  const dataDir = sandboxDataDir(config.dataDir)
  const { url, sandboxUrl } = noteOn(dataDir) ?? {}
  if (url === undefined || sandboxUrl === undefined)
    throw new Error(`no service runs on the sandbox with the data in ${dataDir}: npm start -- --sandbox`)
  const data = await openDataDirectory(dataDir)
  const customers = await customersOf(config, data, url)
  await using _ongoing = await incident.begin({ data, sandboxUrl })
  print(`${name}: ${incident.what}; Ctrl-C ends it`)
  await customers.ask(incident, { print, stop })
}
