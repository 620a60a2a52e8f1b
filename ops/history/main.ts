/**
 * `npm run history`: queries the event history, whether the service runs or not. Only forget, vacuum, accept-end and
 * restore change it.
 *
 *   npm run history -- show JOB|ORG [--follow]              the events, with causes, times between, and credits
 *   npm run history -- why JOB                              how a job came to its end, in sentences
 *   npm run history -- as-of TIME balance ORG               a past state
 *   npm run history -- as-of TIME job JOB
 *   npm run history -- as-of TIME key KEY
 *   npm run history -- replay --projection FILE.ts [--from POSITION|TIME] [--to POSITION|TIME] [--prefix job-]
 *   npm run history -- diff --decider job|credits|key|organization --with FILE.ts [--from …] [--to …]
 *   npm run history -- diff --projection jobs|keys|balances|… --with FILE.ts [--to …]
 *   npm run history -- forget JOB|ORG [--yes]              removes all its data permanently, after its id was typed
 *   npm run history -- export --to DIR [--from POSITION|TIME] [--with-content] [--follow]   new events, as Parquet files
 *   npm run history -- sql "SELECT …" [--csv]               queries an archive of the history, after updating it
 *   npm run history -- sql [--csv]                         answers questions one by one, from a terminal or a pipe
 *   npm run history -- report [--to FILE.html]              the charts of ops/analysts/questions.md, on one page
 *   npm run history -- tables --to FILE.duckdb|DIR [--follow]   jobs, attempts, credits … as tables for other programs
 *   npm run history -- verify [--from POSITION|TIME] [--archive DIR]   proves that files, events and views are sound
 *   npm run history -- accept-end                           accepts an event file without its lost last events
 *   npm run history -- vacuum                               rewrites the files of a stopped service, without remains
 *   npm run history -- backup --to DIR                      copies events, views and accounts while the service runs
 *   npm run history -- restore --from DIR [--replace]       restores a backup into a stopped service's data directory
 *
 * With --archive DIR or EXPORT_DIR, answers include events that only an exported archive still has.
 * A TIME is such as 2026-01-31, 2026-01-31T12:00 (UTC) or 2026-01-31T13:00+01:00. --json is for programs;
 * --sandbox uses the data of `npm start -- --sandbox`. More: ops/history/README.md and ops/analysts.
 */
import { parseArgs } from 'node:util'
import { readConfig } from '#packages/foundation/config/config.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import { placeOf } from '../organizations/place.ts'
import { runCommand } from '../organizations/run-command.ts'
import { carryOut } from './carry-out.ts'
import { historyOptions, parseHistoryCommand } from './command.ts'

/** Text from strangers must stay on its line. */
const print = (line: string): void => console.log(printable(line))
const tell = (line: string): void => console.error(printable(line))

async function main(): Promise<void> {
  // An export opens no data directory, and DuckDB does not set permissions on its files.
  process.umask(0o077)
  const { positionals, values } = parseArgs({ options: historyOptions, allowPositionals: true })
  const command = parseHistoryCommand({ positionals, values })
  const config = readConfig(process.env)
  const { dataDir, told } = await placeOf(config, values)
  for (const line of told) tell(line)
  if (!(await carryOut(command, { config, dataDir, archive: values.archive, print, tell }))) process.exitCode = 1
}

// A reader of the output, such as `head`, may end first.
process.stdout.on('error', () => process.exit())

await runCommand('history', main)
