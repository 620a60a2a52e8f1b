import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { storeFormat } from '#packages/events/store-format.ts'
import { readDamageNote } from './damage-note.ts'
import { versionOf } from './event-schema.ts'
import { noteFile } from './file-watch.ts'
import { type PagedFile, pagedFile, readPage, UnusedBytes, zeros } from './unused-bytes.ts'
import { Unwiped, type WipedFile } from './unwiped.ts'

/** Read at once. */
const CHUNK_BYTES = 4 * 1024 * 1024

/** Pages that are overwritten in one transaction, for which writers wait: a few milliseconds. */
const PAGES = 128

/** The rest after a slice is so many times its duration, milliseconds at most. */
const RESTS = 9
const LONGEST_REST_MS = 100

/** How often it is tried again where a reader or a writer is in the way, and the wait before that, milliseconds. */
const TRIES = 50
const AGAIN_AFTER_MS = 100

/** How long to wait for another process's transaction, milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Overwrites what removed rows have left in a file of SQLite that others write: see wipe-process.ts. */
export class Wipe implements Disposable {
  readonly #path: string
  readonly #what: WipedFile
  readonly #file: PagedFile
  /** One holds writers off while the other carries the log over into the file. */
  readonly #holding: DatabaseSync
  readonly #carrying: DatabaseSync
  readonly #unwiped: Unwiped

  /** @throws Error there is no file, it is locked or damaged, or free space cannot be told in it */
  constructor(what: WipedFile, path: string) {
    this.#path = path
    this.#what = what
    // Opened first and closed last: to close a file ends all locks on it of the same process, those of SQLite among them.
    const descriptor = openSync(path, 'r+')
    const file = pagedFile(descriptor)
    if (file === undefined) throw new Error('free space cannot be told in the file')
    this.#file = file
    // A file that is gone is not made.
    const url = pathToFileURL(path)
    url.searchParams.set('mode', 'rw')
    this.#holding = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS })
    this.#carrying = new DatabaseSync(url, { timeout: 0 })
    for (const each of [this.#holding, this.#carrying]) each.exec('PRAGMA wal_autocheckpoint = 0')
    this.#unwiped = new Unwiped(this.#holding, what)
  }

  /** @returns false where something was in the way, or more was removed meanwhile */
  async run(): Promise<boolean> {
    if (!this.#unwiped.isWanted) return true
    let began = 0
    let found: UnusedBytes | undefined
    const begin = (): void => {
      began = this.#unwiped.begin()
      found = new UnusedBytes(this.#file)
    }
    if (!(await this.#tried(() => this.#whileWhole(begin))) || found === undefined) return false
    const pages = await this.#pagesWithRemains(found)
    for (let at = 0; at < pages.length; at += PAGES) {
      const slice = pages.slice(at, at + PAGES)
      if (!(await this.#tried(() => this.#whileWhole(() => this.#overwrite(slice)) && this.#sync()))) return false
    }
    // The log has pages as they were.
    if (!(await this.#tried(() => this.#carryOver('TRUNCATE')))) return false
    return this.#transaction(() => this.#unwiped.clear(began))
  }

  /** The pages with remains, as the file has them now: others may be writing. */
  async #pagesWithRemains(unused: UnusedBytes): Promise<number[]> {
    const { descriptor, layout } = this.#file
    const { pageSize } = layout
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const found: number[] = []
    for (let at = 0; at < fstatSync(descriptor).size; at += CHUNK_BYTES) {
      const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, at)
      for (let start = 0; start + pageSize <= read; start += pageSize) {
        const number = (at + start) / pageSize + 1
        if (unused.mayHaveRemains(number, chunk.subarray(start, start + pageSize))) found.push(number)
      }
      await sleep(1)
    }
    return found
  }

  #overwrite(pages: readonly number[]): void {
    const unused = new UnusedBytes(this.#file)
    for (const number of pages) {
      const [from, to] = unused.on(number, readPage(this.#file, number)) ?? [0, 0]
      const at = (number - 1) * this.#file.layout.pageSize + from
      if (at + to - from <= fstatSync(this.#file.descriptor).size)
        writeSync(this.#file.descriptor, zeros, 0, to - from, at)
    }
  }

  /** A part at a time, and while others write: all at once would hold up appends that wait for the same disk. */
  #sync(): boolean {
    fdatasyncSync(this.#file.descriptor)
    return true
  }

  /**
   * Works on the file while nobody can change it: writers wait, and nothing is left in the log to be carried over. The
   * transaction changes something, so every other connection drops the pages that it has cached.
   * @returns whether it could
   */
  #whileWhole(work: () => void): boolean {
    // Most of it is carried over while others write.
    this.#carryOver('PASSIVE')
    return this.#transaction(() => {
      if (!this.#carryOver('PASSIVE')) return false
      work()
      this.#unwiped.touch()
      return true
    })
  }

  /** Commits what was done where it succeeds. */
  #transaction(work: () => boolean): boolean {
    this.#holding.exec('BEGIN IMMEDIATE')
    let isDone = false
    try {
      if (this.#isOffLimits()) throw new Error('the file is to be left alone')
      isDone = work()
      if (this.#what === 'views') noteFile(this.#holding, this.#path)
    } finally {
      this.#holding.exec(isDone || this.#what === 'views' ? 'COMMIT' : 'ROLLBACK')
    }
    return isDone
  }

  /** Whether it is another file by now, is about to be, or is damaged: the events are the only truth. */
  #isOffLimits(): boolean {
    if (this.#what === 'events' && versionOf(this.#holding) !== storeFormat) return true
    return isOther(this.#file, this.#path) || (this.#what === 'events' && readDamageNote(this.#path) !== undefined)
  }

  /** @returns whether the whole log was. It changes the file, which is noted for the views: see FileWatch. */
  #carryOver(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    const done = this.#carrying.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
    if (this.#what === 'views') noteFile(this.#holding, this.#path)
    return done?.busy === 0 && done.log === done.checkpointed
  }

  async #tried(work: () => boolean): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const began = performance.now()
      const isDone = work()
      await sleep(isDone ? Math.min(LONGEST_REST_MS, RESTS * (performance.now() - began)) : AGAIN_AFTER_MS)
      if (isDone) return true
    }
    return false
  }

  [Symbol.dispose](): void {
    // The last connection to a file that is gone would delete the log of the file that is at its path by now.
    if (isOther(this.#file, this.#path)) process.kill(process.pid, 'SIGKILL')
    this.#carrying.close()
    this.#holding.close()
    closeSync(this.#file.descriptor)
  }
}

function isOther({ descriptor }: PagedFile, path: string): boolean {
  const [opened, there] = [fstatSync(descriptor), statSync(path, { throwIfNoEntry: false })]
  return opened.ino !== there?.ino || opened.dev !== there.dev
}
