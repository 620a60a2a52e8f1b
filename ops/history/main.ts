/**
 * `npm run history`: asks the event history, while the service runs or not. Only accept-end and restore change anything.
 *
 *   npm run history -- show JOB|ORG [--follow]              what happened, with causes, times between, and credits
 *   npm run history -- why JOB                              how a job came to its end, in sentences
 *   npm run history -- as-of TIME balance ORG               a state as it was at that time
 *   npm run history -- as-of TIME job JOB
 *   npm run history -- as-of TIME key KEY
 *   npm run history -- replay --projection FILE.ts [--from POSITION|TIME] [--to POSITION|TIME] [--prefix job-]
 *   npm run history -- diff --decider job|credits|key|organization --with FILE.ts [--from …] [--to …]
 *   npm run history -- verify                               compares the whole event file with its checksums
 *   npm run history -- accept-end                           goes on without events that are missing at the end
 *   npm run history -- backup --to DIR                      copies events, views and accounts while the service runs
 *   npm run history -- restore --from DIR [--replace]       puts a backup into the data directory of a stopped service
 *
 * A TIME is such as 2026-01-31, 2026-01-31T12:00 (UTC) or 2026-01-31T13:00+01:00. With --json for programs, with
 * --sandbox in the data of `npm start -- --sandbox`. ops/history/README.md and ops/analysts tell more.
 */
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '#packages/config/config.ts'
import { printable, printableLines } from '#packages/printable/printable.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { placeOf } from '../organizations/place.ts'
import { acceptEnd } from './accept-end.ts'
import { asOf } from './as-of.ts'
import { backup } from './backup.ts'
import { stores } from './backup-manifest.ts'
import { type CommandOf, type HistoryCommand, historyOptions, parseHistoryCommand } from './command.ts'
import { diff } from './diff.ts'
import { openHistory } from './open-history.ts'
import { replayHistory } from './replay.ts'
import { restore } from './restore.ts'
import { show } from './show.ts'
import { verify } from './verify.ts'
import { why } from './why.ts'

const fileCare = ['verify', 'accept-end', 'backup', 'restore'] as const
type FileCare = CommandOf<(typeof fileCare)[number]>
type Question = Exclude<HistoryCommand, FileCare>

const isFileCare = (command: HistoryCommand): command is FileCare => fileCare.some((type) => type === command.type)

/** Text of strangers stays on its line. */
const print = (line: string): void => console.log(printable(line))
const tell = (line: string): void => console.error(printable(line))

/** @returns false where the answer is a bad one */
async function answer(command: Question, config: Config, dataDir: string): Promise<boolean> {
  await using history = await openHistory(config, dataDir)
  const { store } = history
  switch (command.type) {
    case 'show':
      await show(store, command, print, new AbortController().signal)
      return true
    case 'why':
      await why(store, command, print)
      return true
    case 'as-of':
      await asOf(store, command, print)
      return true
    case 'replay':
      await replayHistory(history, command, print)
      return true
    case 'diff':
      // The history is closed as soon as this returns.
      return await diff(history, command, print)
  }
}

/** Looks after the files themselves. @returns false where something is wrong with them */
async function careFor(command: FileCare, config: Config, dataDir: string): Promise<boolean> {
  if (config.eventStoreUrl !== undefined)
    throw new Error('EVENT_STORE_URL is set: this command is for the event file of `npm start` (ops/engines.md)')
  const data = await openDataDirectory(dataDir)
  switch (command.type) {
    case 'verify':
      return verify({ data, json: command.json })
    case 'accept-end':
      return acceptEnd({ data })
    case 'backup':
      await backup({ data, stores: config.mongodbUrl === undefined ? stores : ['events'] }, command, print, tell)
      return true
    case 'restore':
      await restore(data, command, print)
      return true
  }
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options: historyOptions, allowPositionals: true })
  const command = parseHistoryCommand({ positionals, values })
  const config = readConfig(process.env)
  const { dataDir, told } = await placeOf(config, values)
  for (const line of told) tell(line)
  const holds = isFileCare(command) ? await careFor(command, config, dataDir) : await answer(command, config, dataDir)
  if (!holds) process.exitCode = 1
}

// Whoever reads the output may end first, as `head` does.
process.stdout.on('error', () => process.exit())

try {
  await main()
} catch (error) {
  console.error(printableLines(error instanceof Error ? error.message : String(error)))
  if (error instanceof TypeError || (error as { code?: string }).code === 'usage')
    console.error('npm run history -- --help tells what it takes')
  process.exitCode = 1
}
