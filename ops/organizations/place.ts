import { resolve } from 'node:path'
import { type Config, variables } from '#packages/foundation/config/config.ts'
import { localUrl } from '#services/host/local-url.ts'
import { sandboxDataDir } from '#services/host/sandbox.ts'
import { runningServiceOn } from '#services/host/service-note.ts'

/** The longest wait for an answer at the configured address, milliseconds. */
const ASK_MS = 1000

/** The directory that the command writes to, and the messages for the operator about it. */
export type Place = { dataDir: string; told: string[] }

/** Finds the data and the service of a command, and warns if another service runs instead. */
export async function placeOf(config: Config, { sandbox }: { sandbox: boolean }): Promise<Place> {
  const [own, other] = sandbox
    ? [sandboxDataDir(config.dataDir), config.dataDir]
    : [config.dataDir, sandboxDataDir(config.dataDir)]
  if (config.eventStoreUrl !== undefined)
    return { dataDir: own, told: [row('events', `in the store at ${variables.eventStoreUrl.variable}`)] }
  const url = runningServiceOn(own)
  const told = [row('data', resolve(own)), row('service', url ?? 'none runs on this data')]
  if (url !== undefined) return { dataDir: own, told }
  const elsewhere = await otherService(config, other, sandbox ? 'leave out --sandbox' : 'add --sandbox')
  return { dataDir: own, told: elsewhere === undefined ? told : [...told, row('WARNING', elsewhere)] }
}

const row = (name: string, text: string): string => `${name.padEnd(13)}${text}`

/** The warning about a service on other data; undefined if none is found. */
async function otherService(config: Config, other: string, remedy: string): Promise<string | undefined> {
  const url = runningServiceOn(other)
  if (url !== undefined)
    return `the service at ${url} runs on other data, ${resolve(other)}, and does not see this: ${remedy}`
  const asked = localUrl(config.host, config.port)
  if (!(await isService(asked))) return undefined
  return `the service at ${asked} runs on other data, and does not see this: set ${variables.dataDir.variable} as it has it`
}

async function isService(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ASK_MS) })
    return (await answer.text()) === '{"status":"ok"}'
  } catch {
    // Nothing listens at the address, or another program does.
    return false
  }
}
