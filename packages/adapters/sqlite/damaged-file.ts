/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [11, 26]

/** What Node throws where a damaged record holds a number that no number of JavaScript is. */
const outOfRange = 'ERR_OUT_OF_RANGE'

/** Whether SQLite says that a file is broken, or none of its own; a full disk or a missing folder is not meant. */
export function saysDamaged(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (code === outOfRange) return true
  // The low byte; the rest tells the kinds of one error apart.
  return errcode !== undefined && damaged.includes(errcode & 0xff)
}
