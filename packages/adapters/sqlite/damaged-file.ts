/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [11, 26]

/** What Node throws where a damaged record holds a number that no number of JavaScript is. */
const outOfRange = 'ERR_OUT_OF_RANGE'

/**
 * Extended codes: SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS (a place that cannot be read any
 * more), and SQLITE_READONLY_DBMOVED (another file lies at the path).
 */
const unreadable = [266, 522, 8458, 1032]

/** Whether SQLite says that a file is broken, or none of its own; a full disk or a missing folder is not meant. */
export function saysDamaged(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (code === outOfRange) return true
  // The low byte; the rest tells the kinds of one error apart.
  return errcode !== undefined && (damaged.includes(errcode & 0xff) || unreadable.includes(errcode))
}

/** What is read is not what was written, though SQLite sees nothing wrong with it. */
export class DamagedRowError extends Error {
  readonly code = 'damaged_row'
  constructor(table: string) {
    super(`a row of ${table} is not what was written`)
  }
}
