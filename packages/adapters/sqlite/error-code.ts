/** SQLite's primary result code in an error: the low byte of the extended code. 0 if there is none. */
export const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** SQLITE_BUSY: another process holds the file. */
export const isBusy = (error: unknown): boolean => codeOf(error) === 5

/**
 * SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN, from a write. They also occur if the disk has no room
 * for SQLite's own files.
 */
const codes = [8, 10, 13, 14]

/** Whether an error of a write means that the disk is full or fails. */
export const saysUnwritable = (error: unknown): boolean => codes.includes(codeOf(error))
