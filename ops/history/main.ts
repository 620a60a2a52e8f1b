/**
 * `npm run history`: what operators do with the event file.
 *
 *   npm run history -- verify [--json]    compares the whole event file, while the service runs or not
 *   npm run history -- accept-end         goes on without events that are missing at the end, on purpose
 */
import { parseArgs } from 'node:util'
import { readConfig } from '#packages/config/config.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { acceptEnd } from './accept-end.ts'
import { verify } from './verify.ts'

const verbs = { verify, 'accept-end': acceptEnd }

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true })
  const [verb = '', ...rest] = positionals
  if (!Object.hasOwn(verbs, verb) || rest.length > 0)
    throw new TypeError(`there is no command ${positionals.join(' ')}`)
  const config = readConfig(process.env)
  if (config.eventStoreUrl !== undefined)
    throw new Error('EVENT_STORE_URL is set: these commands are for the event file of `npm start`')
  const data = await openDataDirectory(config.dataDir)
  const holds = await verbs[verb as keyof typeof verbs]({ data, json: values.json ?? false })
  if (!holds) process.exitCode = 1
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof TypeError) console.error('npm run history -- --help tells what it takes')
  process.exitCode = 1
}
