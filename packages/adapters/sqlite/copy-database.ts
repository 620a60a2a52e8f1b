import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { saysDamaged } from './damaged-file.ts'

/** Pages that are copied in one step, outside the event loop. */
const stepPages = 100

/**
 * The copy is flushed to disk after this many pages. Flushing it all at once would delay appends, which wait for the
 * same disk.
 */
const syncPages = 2000

const busyTimeoutMs = 5000

/**
 * Copies a database as it is at one moment, while others write to it. The copy has no log beside it. The open read pins
 * that moment: without it, SQLite starts over after each write of another connection, and never finishes beside a busy
 * service. The copy blocks no writer, but the log grows until it is finished.
 * @param to a path without a file
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true, timeout: busyTimeoutMs })
  source.exec('BEGIN; SELECT 1 FROM sqlite_master')
  using opened = new DisposableStack()
  let [file, synced]: [number | undefined, number] = [undefined, 0]
  await backup(source, to, {
    rate: stepPages,
    progress({ totalPages, remainingPages }) {
      const pages = totalPages - remainingPages
      if (pages < synced + syncPages) return
      file ??= opened.adopt(openSync(to, 'r'), closeSync)
      fdatasyncSync(file)
      synced = pages
    },
  })
  using copy = new DatabaseSync(to)
  copy.exec('PRAGMA journal_mode = DELETE')
}

/** What SQLite finds wrong with a file, in its words; undefined if it finds nothing. */
export function integrityProblem(path: string): string | undefined {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
    const found = String(database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check)
    // The first line names the database.
    return found === 'ok' ? undefined : found.split('\n').at(-1)
  } catch (error) {
    if (!saysDamaged(error)) throw error
    return (error as Error).message
  }
}
