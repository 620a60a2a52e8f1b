/**
 * Leaves no byte of removed rows in a file of SQLite that others write. `secure_delete` overwrites a row where it is
 * deleted, but where SQLite has moved it from one page to another before, the copy stays behind in the free space of the
 * first. Only VACUUM would clear that, by writing the whole file anew while nobody else may write. Here the file is read
 * through, and the free space that has remains is overwritten. At the end the log is emptied: it has pages as they were.
 *
 * A process of its own, because it opens the file itself: to close a file ends all locks on it of the same process, those
 * of SQLite among them. It takes the path, and exits with 0 once nothing is left.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { noteFile } from './file-watch.ts'
import { freeSpaceOf, hasRemains, layoutOf, type PageLayout } from './free-space.ts'

/** Read at once; and pages that are overwritten in one transaction, for which writers wait. */
const CHUNK_BYTES = 4 * 1024 * 1024
const PAGES = 256

/** How often it is tried again where a reader or a writer is in the way, and the wait before that, milliseconds. */
const TRIES = 50
const AGAIN_AFTER_MS = 100

type File = { descriptor: number; layout: PageLayout }

/** Undefined where free space cannot be told in it. */
function fileOf(descriptor: number): File | undefined {
  const header = Buffer.alloc(100)
  readSync(descriptor, header, 0, 100, 0)
  const layout = layoutOf(header, fstatSync(descriptor).size)
  return layout && { descriptor, layout }
}

/** The numbers, from 0, of the pages with remains, as the file has them now. */
function* pagesWithRemains({ descriptor, layout }: File): Iterable<number> {
  const { pageSize } = layout
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; at < fstatSync(descriptor).size; at += CHUNK_BYTES) {
    const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, at)
    for (let start = 0; start + pageSize <= read; start += pageSize) {
      const page = (at + start) / pageSize
      if (hasRemains(chunk.subarray(start, start + pageSize), layout, page === 0)) yield page
    }
  }
}

function overwrite({ descriptor, layout }: File, pages: readonly number[]): void {
  const { pageSize } = layout
  const page = Buffer.alloc(pageSize)
  for (const number of pages) {
    if (readSync(descriptor, page, 0, pageSize, number * pageSize) < pageSize) continue
    const [from, to] = freeSpaceOf(page, layout, number === 0) ?? [0, 0]
    writeSync(descriptor, Buffer.alloc(to - from), 0, to - from, number * pageSize + from)
  }
  fsyncSync(descriptor)
}

class Wipe {
  readonly #path: string
  /** One holds writers off while the other carries the log over into the file. */
  readonly #holding: DatabaseSync
  readonly #carrying: DatabaseSync

  constructor(path: string) {
    this.#path = path
    this.#holding = new DatabaseSync(path, { timeout: 5000 })
    this.#carrying = new DatabaseSync(path, { timeout: 0 })
    for (const each of [this.#holding, this.#carrying]) each.exec('PRAGMA wal_autocheckpoint = 0')
  }

  /** @returns whether nothing is left */
  async run(file: File): Promise<boolean> {
    if (!(await this.#whileWhole(() => undefined))) return false
    const found = [...pagesWithRemains(file)]
    for (let at = 0; at < found.length; at += PAGES) {
      const pages = found.slice(at, at + PAGES)
      if (!(await this.#whileWhole(() => overwrite(file, pages)))) return false
    }
    return this.#tried(() => this.#carryOver('TRUNCATE'))
  }

  /**
   * Works on the file while nobody can change it: writers wait, and nothing is left in the log to be carried over. The
   * transaction changes something, so every other connection drops the pages that it has cached.
   */
  #whileWhole(work: () => void): Promise<boolean> {
    return this.#tried(() => {
      this.#holding.exec('BEGIN IMMEDIATE')
      try {
        const isWhole = this.#carryOver('PASSIVE')
        if (isWhole) work()
        noteFile(this.#holding, this.#path)
        return isWhole
      } finally {
        this.#holding.exec('COMMIT')
      }
    })
  }

  /** @returns whether the whole log was. It changes the file, which is noted: see FileWatch. */
  #carryOver(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    const done = this.#carrying.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
    noteFile(this.#holding, this.#path)
    return done?.busy === 0 && done.log === done.checkpointed
  }

  async #tried(work: () => boolean): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (work()) return true
      await sleep(AGAIN_AFTER_MS)
    }
    return false
  }

  [Symbol.dispose](): void {
    this.#carrying.close()
    this.#holding.close()
  }
}

/** @throws Error there is no file, or it is locked or damaged */
async function wipe(path: string): Promise<boolean> {
  const descriptor = openSync(path, 'r+')
  try {
    const file = fileOf(descriptor)
    if (file === undefined) return false
    using wiping = new Wipe(path)
    return await wiping.run(file)
  } finally {
    closeSync(descriptor)
  }
}

process.exitCode = (await wipe(process.argv[2] ?? '')) ? 0 : 1
