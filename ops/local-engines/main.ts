/**
 * `ops/engines up|down|status|env`: the servers of the distributed mode on this machine, for tests and trials.
 *
 *   up [--brokers N]   starts the stopped ones, and says which program it chose for each
 *   down [--wipe]      ends the started ones (and deletes their data)
 *   env                prints lines for `eval`
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EngineUnavailableError } from './jars.ts'
import { families, LocalEngines } from './local-engines.ts'

const USAGE = 'Usage: ops/engines up [--brokers N] | down [--wipe] | status | env'

async function up(engines: LocalEngines, brokers: number | undefined): Promise<void> {
  for (const family of families)
    try {
      await engines.up(family, family === 'kafka' ? brokers : undefined)
      console.log(engines.labelOf(family))
    } catch (error) {
      if (!(error instanceof EngineUnavailableError)) throw error
      console.log(`${family.padEnd(14)} is left out: ${error.message}`)
    }
  for (const line of engines.status()) console.log(line)
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    options: { brokers: { type: 'string' }, wipe: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const brokers = values.brokers === undefined ? undefined : Number(values.brokers)
  if (brokers !== undefined && !(Number.isInteger(brokers) && brokers >= 1 && brokers <= 5))
    throw new TypeError('--brokers takes a number from 1 to 5')
  const root = process.cwd()
  const engines = new LocalEngines({ root, folder: join(root, '.engines/local'), detached: true, env: process.env })
  switch (positionals.join(' ')) {
    case 'up':
      return up(engines, brokers)
    case 'down':
      return engines.down(values)
    case 'status': {
      const lines = engines.status()
      console.log(lines.length > 0 ? lines.join('\n') : 'nothing has been started')
      return
    }
    case 'env':
      for (const [name, value] of Object.entries(engines.environment())) console.log(`export ${name}='${value}'`)
      return
    default:
      throw new TypeError(USAGE)
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof TypeError ? 2 : 1
}
