import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { emptyLog } from './empty-log.ts'
import { type EndMarks, readShortest } from './end-mark.ts'
import { Unwiped } from './unwiped.ts'

/** Pages that are moved in one transaction: a few milliseconds. */
const slicePages = 64

/** So many free pages stay for the next events. */
const keptPages = 64

/** Above this length of the log, bytes, somebody reads an older state, such as a backup: then nothing is moved. */
const longestLog = 8 * 1024 * 1024

/** The shortest pause between two slices, milliseconds. */
const pauseMs = 20

/** Slices take at most one part in so many of the time. */
const partOfTime = 10

/** How often to look for what other processes have freed, milliseconds. */
const lookMs = 10_000

type Options = {
  path: string
  database: DatabaseSync
  marks: Pick<EndMarks, 'noteShortest'>
  /** Whether the file is to be left alone: it is damaged, or is no longer the one that was opened. */
  isOffLimits(): boolean
  /** Called whenever nothing is left to do, or nothing can be done. */
  onIdle?: () => void
}

/**
 * Gives the free pages of the event file back to the disk, a few at a time between two transactions, so that an append
 * waits for some milliseconds at most. Pages at the end of the file are moved to free places before it.
 */
export class FileShrinker implements Disposable {
  readonly #options: Options
  #timer: NodeJS.Timeout | undefined
  /** Deleted events or moved pages may still be in the log, as after a crash. */
  #isInLog = true
  #isAtWork = false

  constructor(options: Options) {
    this.#options = options
    this.#runAfter(pauseMs)
  }

  /** Events were deleted. @param isInLog they are still in the log */
  begin({ isInLog }: { isInLog: boolean }): void {
    this.#isInLog ||= isInLog
    if (this.#isAtWork) return
    this.#isAtWork = true
    clearTimeout(this.#timer)
    this.#runAfter(pauseMs)
  }

  #runAfter(ms: number): void {
    this.#timer = setTimeout(() => this.#run(), ms).unref()
  }

  #run(): void {
    const began = performance.now()
    this.#isAtWork = false
    try {
      this.#isAtWork = !this.#options.isOffLimits() && this.#slice()
    } catch {
      // Tried again later. What is wrong with the file or the disk, appends tell.
      this.#rollBack()
    }
    if (!this.#isAtWork) this.#options.onIdle?.()
    const took = performance.now() - began
    this.#runAfter(this.#isAtWork ? Math.max(pauseMs, took * (partOfTime - 1)) : lookMs)
  }

  /** @returns whether anything is left to do */
  #slice(): boolean {
    if (this.#isLogLong && !emptyLog(this.#options.database)) return true
    const free = this.#free
    if (free > 0) this.#move(Math.min(free, slicePages))
    if (this.#free < free) this.#isInLog = true
    else if (this.#isInLog) this.#isInLog = !emptyLog(this.#options.database)
    return this.#isInLog
  }

  get #isLogLong(): boolean {
    return (statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > longestLog
  }

  /** Free pages beyond those that stay. */
  get #free(): number {
    return this.#number('freelist_count') - keptPages
  }

  /** Moves so many pages. The file gets shorter with a later checkpoint of the log, by whatever process. */
  #move(pages: number): void {
    const { database, path, marks } = this.#options
    database.exec('BEGIN IMMEDIATE')
    database.exec(`PRAGMA incremental_vacuum(${pages})`)
    new Unwiped(database, 'events').addMoved()
    // Guards that have not looked for a while may find it as short as it is now, too.
    const bytes = Math.min(this.#number('page_count') * this.#number('page_size'), statSync(path).size)
    marks.noteShortest(bytes)
    if (readShortest(path) !== bytes) throw new Error('its mark was deleted, without which guards find it too short')
    database.exec('COMMIT')
  }

  #rollBack(): void {
    try {
      if (this.#options.database.isTransaction) this.#options.database.exec('ROLLBACK')
    } catch {
      // The next transaction shows whether the file works again.
    }
  }

  #number(pragma: string): number {
    return Number(Object.values(this.#options.database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
