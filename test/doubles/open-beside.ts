import { DatabaseSync } from 'node:sqlite'

/**
 * Opens a store's file a second time, beside the store. The store's thread locks its file briefly, even when no caller
 * writes: it begins by emptying the log of the previous store. SQLite itself would not wait.
 */
export const openBeside = (path: string, options: { readOnly?: boolean } = {}): DatabaseSync =>
  new DatabaseSync(path, { timeout: 5000, ...options })
