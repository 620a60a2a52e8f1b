import { DatabaseSync } from 'node:sqlite'

/**
 * Opens the file of a store beside it. A store's thread locks its file for a moment also where nobody writes: it begins by
 * emptying the log of the last one. SQLite itself would not wait.
 */
export const openBeside = (path: string, options: { readOnly?: boolean } = {}): DatabaseSync =>
  new DatabaseSync(path, { timeout: 5000, ...options })
