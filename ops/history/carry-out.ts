import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { acceptEventFileEnd } from '#packages/adapters/sqlite/accept-end.ts'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { markPathOf } from '#packages/adapters/sqlite/end-mark.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { knownSealer } from '#services/host/open-sealer.ts'
import { asOf } from './as-of.ts'
import { backup } from './backup.ts'
import { readManifest, stores } from './backup-manifest.ts'
import type { CommandContext, CommandOf, HistoryCommand } from './command.ts'
import { diff } from './diff.ts'
import { exportTo } from './export.ts'
import { forget } from './forget.ts'
import { assertEventFile, type History, openHistory, openStoreHistory } from './open-history.ts'
import { replayHistory } from './replay.ts'
import { restore } from './restore.ts'
import { show } from './show.ts'
import { vacuumStores } from './vacuum.ts'
import { verify } from './verify.ts'
import { why } from './why.ts'

/** Carries out one command. Resolves with false for a bad answer. */
type CarryOut<Type extends HistoryCommand['type']> = (
  command: CommandOf<Type>,
  context: CommandContext,
) => Promise<unknown>

/** Never aborted: the analyst ends the command by a signal to the process. */
const never = new AbortController().signal

const commands: { readonly [Type in HistoryCommand['type']]: CarryOut<Type> } = {
  show: (command, context) => asking(context, ({ store }) => show(store, command, context.print, never)),
  why: (command, context) => asking(context, ({ store }) => why(store, command, context.print)),
  'as-of': (command, context) => asking(context, ({ store }) => asOf(store, command, context.print)),
  replay: (command, context) => asking(context, (history) => replayHistory(history, command, context.print)),
  diff: (command, context) => asking(context, (history) => diff(history, command, context.print)),
  async export(command, { config, dataDir, print }) {
    await using history = await openStoreHistory(config, dataDir)
    await exportTo(history, command, { exportDir: config.exportDir, print, signal: never })
  },
  sql: askTables,
  report: askTables,
  async tables(command, context) {
    const { tables } = await import('./tables.ts')
    await tables(command, context, { signal: never })
  },
  forget,
  verify,
  async 'accept-end'(_, context) {
    // The event file is gone, but the mark of its end still exists.
    if (!existsSync(markPathOf(join(context.dataDir, 'events.sqlite'))))
      assertEventFile(context.config, context.dataDir)
    return acceptEnd({ data: await filesOf(context) })
  },
  vacuum: vacuumStores,
  async backup(command, context) {
    assertEventFile(context.config, context.dataDir)
    const data = await filesOf(context)
    const copied = context.config.mongodbUrl === undefined ? stores : (['events'] as const)
    const sealer = knownSealer(context.config, data.path)
    await backup({ data, stores: copied, sealer }, command, context.print, context.tell)
    const { exportDir, retentionDays } = context.config
    if (retentionDays !== undefined)
      context.tell(`NOT in it is the archive in ${exportDir}, which alone has what retention has removed: copy it too`)
  },
  async restore(command, context) {
    // Reads the manifest first: if the folder is no backup, no data directory is made.
    readManifest(command.folder)
    const data = await filesOf(context)
    return restore({ data, sealer: knownSealer(context.config, data.path) }, command, context.print)
  },
}

/** Carries out a command. @returns false for a bad answer */
export async function carryOut<Type extends HistoryCommand['type']>(
  command: CommandOf<Type>,
  context: CommandContext,
): Promise<boolean> {
  const act = commands[command.type] as CarryOut<Type>
  return (await act(command, context)) !== false
}

/** Runs a question on the history, opened for reading. */
async function asking<T>(
  { config, dataDir, archive }: CommandContext,
  ask: (history: History) => Promise<T>,
): Promise<T> {
  await using history = await openHistory(config, dataDir, archive)
  return await ask(history)
}

/** DuckDB is large, so only these commands load it. */
async function askTables(command: CommandOf<'sql' | 'report'>, context: CommandContext): Promise<boolean> {
  const { askArchive } = await import('./ask-archive.ts')
  return await askArchive(command, context)
}

/** The files of the embedded mode, for commands that maintain them. @throws Error the events are on a server */
function filesOf({ config, dataDir }: CommandContext) {
  if (config.eventStoreUrl !== undefined)
    throw new Error('EVENT_STORE_URL is set: this command is for the event file of `npm start` (ops/engines.md)')
  return openDataDirectory(dataDir)
}

/** Accepts an event file that lacks later events, which the service has seen. The service must not run. */
async function acceptEnd({ data }: { data: DataDirectory }): Promise<boolean> {
  using _lock = lockDataDirectory(data.path)
  const { end, seen } = acceptEventFileEnd(data.events)
  const given = seen !== undefined && seen > end ? `; the ${seen - end} positions after it are given up` : ''
  console.log(`the events end at position ${end}${given}. The views are rebuilt at the next start.`)
  return true
}
