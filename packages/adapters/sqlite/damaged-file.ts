import { DamagedEventsError } from '#packages/ports/damaged-events.ts'

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [11, 26]

/** Node's error code for a damaged record with an integer that JavaScript cannot represent. */
const outOfRange = 'ERR_OUT_OF_RANGE'

/**
 * Extended codes. A part of the file cannot be read: SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and
 * SQLITE_IOERR_CORRUPTFS. Another file is at the path: SQLITE_READONLY_DBMOVED.
 */
const unreadable = [266, 522, 8458, 1032]

/**
 * Whether an error of SQLite means that the file is damaged or not a database. A full disk or a missing folder does not
 * count.
 */
export function saysDamaged(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (code === outOfRange) return true
  // The low byte is the error. All of it is the extended code.
  return errcode !== undefined && (damaged.includes(errcode & 0xff) || unreadable.includes(errcode))
}

/** A row differs from what was written, although SQLite finds nothing wrong. */
export class DamagedRowError extends Error {
  readonly code = 'damaged_row'
  constructor(table: string) {
    super(`a row of ${table} is not what was written`)
  }
}

/** The files have changed since they were opened. */
export class DamagedFileError extends Error {
  readonly code = 'damaged_file'
}

/**
 * Whether views can no longer be read from the file. If somebody has dropped a table, SQLite reports an error in the
 * SQL.
 */
export const isDamage = (error: unknown): boolean =>
  saysDamaged(error) ||
  error instanceof DamagedRowError ||
  error instanceof DamagedFileError ||
  (error instanceof Error && /^(no such (table|column|index)|malformed JSON)/.test(error.message))

/** The error of an event file that could not be opened. */
export function openError(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const isDamaged = saysDamaged(cause) || cause instanceof DamagedEventsError
  const advice = isDamaged
    ? '. It holds the events, from which all else is made; it is damaged, and was left as it is: put back a backup of it.'
    : ''
  return new Error(`the event file ${path} could not be opened: ${reason}${advice}`, { cause })
}
