import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { markPathOf } from '#packages/adapters/sqlite/end-mark.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { knownSealer } from '#services/host/open-sealer.ts'
import { acceptEnd } from './accept-end.ts'
import { asOf } from './as-of.ts'
import { backup } from './backup.ts'
import { readManifest, stores } from './backup-manifest.ts'
import type { CommandOf, HistoryCommand } from './command.ts'
import type { Desk } from './desk.ts'
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

/** It resolves with false where the answer is a bad one. */
type CarryOut<Type extends HistoryCommand['type']> = (command: CommandOf<Type>, desk: Desk) => Promise<unknown>

/** Whoever asks ends it by a signal to the process. */
const never = new AbortController().signal

const commands: { readonly [Type in HistoryCommand['type']]: CarryOut<Type> } = {
  show: (command, desk) => asking(desk, ({ store }) => show(store, command, desk.print, never)),
  why: (command, desk) => asking(desk, ({ store }) => why(store, command, desk.print)),
  'as-of': (command, desk) => asking(desk, ({ store }) => asOf(store, command, desk.print)),
  replay: (command, desk) => asking(desk, (history) => replayHistory(history, command, desk.print)),
  diff: (command, desk) => asking(desk, (history) => diff(history, command, desk.print)),
  async export(command, { config, dataDir, print }) {
    await using history = await openStoreHistory(config, dataDir)
    await exportTo(history, command, { exportDir: config.exportDir, print, signal: never })
  },
  sql: askTables,
  report: askTables,
  async tables(command, desk) {
    const { tables } = await import('./tables.ts')
    await tables(command, desk, { signal: never })
  },
  forget,
  verify,
  async 'accept-end'(_, desk) {
    // A file that was lost as a whole has left the mark of its end.
    if (!existsSync(markPathOf(join(desk.dataDir, 'events.sqlite')))) assertEventFile(desk.config, desk.dataDir)
    return acceptEnd({ data: await filesOf(desk) })
  },
  vacuum: vacuumStores,
  async backup(command, desk) {
    assertEventFile(desk.config, desk.dataDir)
    const data = await filesOf(desk)
    const copied = desk.config.mongodbUrl === undefined ? stores : (['events'] as const)
    const sealer = knownSealer(desk.config, data.path)
    await backup({ data, stores: copied, sealer }, command, desk.print, desk.tell)
    const { exportDir, retentionDays } = desk.config
    if (retentionDays !== undefined)
      desk.tell(`NOT in it is the archive in ${exportDir}, which alone has what retention has removed: copy it too`)
  },
  async restore(command, desk) {
    // Where it is no backup, no data directory is made.
    readManifest(command.folder)
    const data = await filesOf(desk)
    return restore({ data, sealer: knownSealer(desk.config, data.path) }, command, desk.print)
  },
}

/** Carries a command out. @returns false where the answer is a bad one */
export async function carryOut<Type extends HistoryCommand['type']>(
  command: CommandOf<Type>,
  desk: Desk,
): Promise<boolean> {
  const act = commands[command.type] as CarryOut<Type>
  return (await act(command, desk)) !== false
}

/** With the history opened for reading. */
async function asking<T>({ config, dataDir, archive }: Desk, ask: (history: History) => Promise<T>): Promise<T> {
  await using history = await openHistory(config, dataDir, archive)
  return await ask(history)
}

/** DuckDB is large: the other commands do without it. */
async function askTables(command: CommandOf<'sql' | 'report'>, desk: Desk): Promise<boolean> {
  const { askArchive } = await import('./ask-archive.ts')
  return await askArchive(command, desk)
}

/** The files of the embedded mode, for commands that look after them. @throws Error the events are on a server */
function filesOf({ config, dataDir }: Desk) {
  if (config.eventStoreUrl !== undefined)
    throw new Error('EVENT_STORE_URL is set: this command is for the event file of `npm start` (ops/engines.md)')
  return openDataDirectory(dataDir)
}
