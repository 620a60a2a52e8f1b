import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ArchiveWriter } from '#packages/history/archive/archive-writer.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { madeHistory } from './history.fixture.ts'
import { openTables, type Tables } from './open-tables.ts'
import { type Plain, rowsOf, runQuery } from './run-query.ts'

/** Writes events into an archive. @returns its folder, which is removed with the process */
export async function archiveOf(events: readonly StoredEvent[], withContent = false): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'analysts-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  await using writer = await ArchiveWriter.open(directory, {
    ...{ origin: 'made-up', withContent, from: null, program: 'test' },
  })
  await writer.add(events)
  await writer.commit(events.at(-1)?.position ?? 0)
  return directory
}

let made: Promise<string> | undefined

/** The archive of the made-up history, shared by the tests of this folder. */
export const madeArchive = (): Promise<string> => {
  made ??= archiveOf(madeHistory())
  return made
}

export type AskedTables = AsyncDisposable & { ask(sql: string): Promise<Record<string, Plain>[]> }

/** Opens an archive for questions. */
export async function askedTables(directory: string): Promise<AskedTables> {
  const tables: Tables = await openTables(directory)
  return {
    ask: async (sql) => rowsOf(await runQuery(tables.connection, sql)),
    [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose](),
  }
}
