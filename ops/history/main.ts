/**
 * `npm run history`: asks the event history, while the service runs or not. Only accept-end changes events.
 *
 *   npm run history -- show JOB|ORG [--follow]              what happened, with causes, times between, and credits
 *   npm run history -- why JOB                              how a job came to its end, in sentences
 *   npm run history -- as-of TIME balance ORG               a state as it was at that time
 *   npm run history -- as-of TIME job JOB
 *   npm run history -- as-of TIME key KEY
 *   npm run history -- replay --projection FILE.ts [--from POSITION|TIME] [--to POSITION|TIME] [--prefix job-]
 *   npm run history -- diff --decider job|credits|key|organization --with FILE.ts [--from …] [--to …]
 *   npm run history -- export --to DIR [--from POSITION|TIME] [--with-content] [--follow]   what is new, as Parquet files
 *   npm run history -- sql "SELECT …" [--csv]               asks an archive of the history, brought up to date before
 *   npm run history -- report [--to FILE.html]              the charts of ops/analysts/questions.md, on one page
 *   npm run history -- verify                               compares the whole event file with its checksums
 *   npm run history -- accept-end                           goes on without events that are missing at the end
 *
 * With --archive DIR, or where EXPORT_DIR is set, the questions are also answered from an archive that export has made.
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
import { type CommandOf, type HistoryCommand, historyOptions, parseHistoryCommand } from './command.ts'
import { diff } from './diff.ts'
import { exportTo } from './export.ts'
import { openHistory, openStoreHistory } from './open-history.ts'
import { replayHistory } from './replay.ts'
import { show } from './show.ts'
import { verify } from './verify.ts'
import { why } from './why.ts'

type Question = Exclude<HistoryCommand, { type: 'verify' | 'accept-end' | 'export' | 'sql' | 'report' }>

/** Text of strangers stays on its line. */
const print = (line: string): void => console.log(printable(line))
const tell = (line: string): void => console.error(printable(line))

/** The data directory, and the archive that the command names. */
type Where = { dataDir: string; archive: string | undefined }

/** @returns false where the answer is a bad one */
async function answer(command: Question, config: Config, { dataDir, archive }: Where): Promise<boolean> {
  await using history = await openHistory(config, dataDir, archive)
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

async function takeAway(command: CommandOf<'export'>, config: Config, dataDir: string): Promise<boolean> {
  await using history = await openStoreHistory(config, dataDir)
  const { signal } = new AbortController()
  await exportTo(history, command, { exportDir: config.exportDir, print, signal })
  return true
}

async function askTables(command: CommandOf<'sql' | 'report'>, config: Config, where: Where): Promise<boolean> {
  // DuckDB is large: the other commands do without it.
  const { askArchive } = await import('./ask-archive.ts')
  await askArchive(command, config, where, { print, tell })
  return true
}

/** Looks after the event file itself. */
async function careFor(command: HistoryCommand & { type: 'verify' | 'accept-end' }, config: Config, dataDir: string) {
  if (config.eventStoreUrl !== undefined)
    throw new Error('EVENT_STORE_URL is set: this command is for the event file of `npm start`')
  const data = await openDataDirectory(dataDir)
  return command.type === 'verify' ? verify({ data, json: command.json }) : acceptEnd({ data })
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options: historyOptions, allowPositionals: true })
  const command = parseHistoryCommand({ positionals, values })
  const config = readConfig(process.env)
  const { dataDir, told } = await placeOf(config, values)
  for (const line of told) tell(line)
  if (!(await carryOut(command, config, { dataDir, archive: values.archive }))) process.exitCode = 1
}

/** @returns false where the answer is a bad one */
function carryOut(command: HistoryCommand, config: Config, where: Where): Promise<boolean> | boolean {
  switch (command.type) {
    case 'verify':
    case 'accept-end':
      return careFor(command, config, where.dataDir)
    case 'sql':
    case 'report':
      return askTables(command, config, where)
    case 'export':
      return takeAway(command, config, where.dataDir)
    default:
      return answer(command, config, where)
  }
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
