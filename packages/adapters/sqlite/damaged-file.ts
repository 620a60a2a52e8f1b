/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [11, 26]

/** Whether SQLite says that a file is broken, or none of its own; a full disk or a missing folder is not meant. */
export function saysDamaged(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  // The low byte; the rest tells the kinds of one error apart.
  return errcode !== undefined && damaged.includes(errcode & 0xff)
}
