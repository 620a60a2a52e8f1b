import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { emptyLog } from './empty-log.ts'

/** The log is checkpointed into the file above this size, bytes. */
const LOG_BYTES = 4 * 1024 * 1024

/** Suffixes of the files of a database. */
const suffixes = ['', '-wal', '-shm']

/**
 * Watches whether another program replaces or overwrites the files of an open database. SQLite does not check that, and
 * keeps using its cache. SQLite writes the main file only at a checkpoint, and checkpoints run only here, so any other
 * change of the file is not by SQLite. After a checkpoint, the state of the file is noted in the database for every
 * process that has it open.
 */
export class FileWatch {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #files: readonly (bigint | undefined)[]
  /** The change seen at the last look. It counts only at the second look: another process may be about to note it. */
  #suspected: string | undefined
  #isInLog = false
  /** Our own checkpoint may have written to the file without noting it, because the disk was full or failed. */
  #isUnnoted = false

  /** Constructed after a first read from the open database: then all its files exist. */
  constructor(path: string, database: DatabaseSync) {
    this.#path = path
    this.#database = database
    // Without the limit, a checkpointed log keeps its length, and would be checkpointed again after every write.
    database.exec(
      'PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 0; CREATE TABLE IF NOT EXISTS file (seen TEXT NOT NULL)',
    )
    noteFile(database, path)
    this.#files = this.#inodes()
  }

  /**
   * Checkpoints the log into the file if the log is long.
   * @param removed documents were removed: the log holds them until `erase`
   */
  carryOver(removed = false): void {
    this.#isInLog ||= removed
    const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })
    if (log === undefined || log.size < LOG_BYTES) return
    this.#noting(() => this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)'))
  }

  /** Empties the log if documents were removed. If a reader still uses an older state, the next call tries again. */
  erase(): void {
    this.carryOver()
    if (!this.#isInLog) return
    this.#noting(() => {
      this.#isInLog = !emptyLog(this.#database)
    })
  }

  /** Runs a write to the file, and notes the file's state after it. */
  #noting(write: () => void): void {
    this.#isUnnoted = true
    write()
    noteFile(this.#database, this.#path)
    this.#isUnnoted = false
  }

  /** What another program has done to the files; undefined if it has done nothing. */
  look(): string | undefined {
    if (this.#inodes().some((inode, index) => inode !== this.#files[index])) return 'its files were exchanged'
    // If this fails, the next look tries again.
    if (this.#isUnnoted) this.#noting(() => {})
    const now = stampOf(this.#path)
    const isKnown = this.#database.prepare('SELECT seen FROM file').get()?.seen === now
    const isCertain = !isKnown && this.#suspected === now
    this.#suspected = isKnown ? undefined : now
    return isCertain ? 'its file was changed by another program' : undefined
  }

  #inodes(): (bigint | undefined)[] {
    return suffixes.map((suffix) => statSync(this.#path + suffix, { bigint: true, throwIfNoEntry: false })?.ino)
  }
}

/** Notes the present state of the file as written by SQLite or this program. */
export function noteFile(database: DatabaseSync, path: string): void {
  database.prepare('REPLACE INTO file (rowid, seen) VALUES (1, ?)').run(stampOf(path))
}

function stampOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return `${size} bytes at ${mtimeNs}`
}
