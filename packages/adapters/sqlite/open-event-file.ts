import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type EndMark, readEndMark } from './end-mark.ts'
import { prepareEventFile } from './event-schema.ts'
import { MissingEventsError } from './missing-events.ts'

/**
 * Opens the event file for writing, and creates it if it is missing.
 * @throws MissingEventsError it ends before a position that was seen, or it is gone
 * @throws Error it is of another format
 */
export function openEventFile(path: string, busyTimeoutMs: number): DatabaseSync {
  const mark = readEndMark(path)
  const isThere = existsSync(path) && statSync(path).size > 0
  if (mark !== undefined && mark.position > 0 && !isThere)
    throw new MissingEventsError(basename(path), undefined, hadCome(mark))
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    const isEmpty = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get()?.tables === 0
    if (mark !== undefined && mark.position > 0 && isEmpty)
      throw new MissingEventsError(basename(path), undefined, hadCome(mark))
    prepareEventFile(database, path)
    assertReaches(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** @throws MissingEventsError the file ends before its mark, or has other events than were seen */
function assertReaches(database: DatabaseSync, path: string): void {
  // Reads the mark again: another process may have written meanwhile, which only moves the mark forward.
  const mark = readEndMark(path)
  if (mark === undefined) return
  const end = Number(database.prepare('SELECT position FROM ends').get()?.position ?? 0)
  const origin = database.prepare('SELECT id FROM origin').get()?.id
  const found = database.prepare('SELECT checksum FROM events WHERE position = ?').get(mark.position)?.checksum
  const isOther = origin !== mark.origin || (found !== undefined && found !== mark.checksum)
  if (isOther) throw new MissingEventsError(basename(path), end, `${hadCome(mark)} with other events than these`)
  if (end < mark.position) throw new MissingEventsError(basename(path), end, hadCome(mark))
}

const hadCome = ({ position }: EndMark): string => `it had come to position ${position}`
