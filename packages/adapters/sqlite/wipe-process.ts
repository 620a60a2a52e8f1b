/**
 * Leaves no byte of removed rows in a file of SQLite that others write. `secure_delete` overwrites a row where it is
 * deleted, but where SQLite has moved it from one page to another before, the copy stays behind in the free space of the
 * first. Only VACUUM would clear that, by writing the whole file anew while nobody else may write. Here the file is read
 * through, and the free space that has remains is overwritten, as are free pages: those of a dropped table have its rows. At
 * the end the log is emptied: it has pages as they were.
 *
 * A process of its own, because it opens the file itself: to close a file ends all locks on it of the same process, those
 * of SQLite among them. It takes the path, and exits with 0 once nothing is left.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { noteFile } from './file-watch.ts'
import { freePagesOf, freeSpaceOf, layoutOf, type PageLayout } from './free-space.ts'

/** Read at once; and pages that are overwritten in one transaction, for which writers wait. */
const CHUNK_BYTES = 4 * 1024 * 1024
const PAGES = 1024

/** As long as the largest page. */
const zeros = Buffer.alloc(65_536)

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

/** The bytes of free pages, by the number of the page from 0: nobody reads them before they are written anew. */
function freePages({ descriptor, layout }: File): Map<number, [from: number, to: number]> {
  const { pageSize, usable } = layout
  const [header, page] = [Buffer.alloc(100), Buffer.alloc(pageSize)]
  readSync(descriptor, header, 0, 100, 0)
  const free = new Map<number, [number, number]>()
  const most = header.readUInt32BE(36)
  for (let trunk = header.readUInt32BE(32); trunk > 0 && free.size < most; ) {
    readSync(descriptor, page, 0, pageSize, (trunk - 1) * pageSize)
    const { next, named, end } = freePagesOf(page)
    free.set(trunk - 1, [end, usable])
    for (const each of named) free.set(each - 1, [0, usable])
    trunk = next
  }
  return free
}

/** The numbers, from 0, of the pages with remains, as the file has them now. */
function pagesWithRemains(file: File): number[] {
  const { descriptor, layout } = file
  const { pageSize } = layout
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const free = freePages(file)
  const found: number[] = []
  for (let at = 0; at < fstatSync(descriptor).size; at += CHUNK_BYTES) {
    const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, at)
    for (let start = 0; start + pageSize <= read; start += pageSize) {
      const number = (at + start) / pageSize
      const page = chunk.subarray(start, start + pageSize)
      const [from, to] = free.get(number) ?? freeSpaceOf(page, layout, number === 0) ?? [0, 0]
      if (page.compare(zeros, 0, to - from, from, to) !== 0) found.push(number)
    }
  }
  return found
}

function overwrite(file: File, pages: readonly number[]): void {
  const { descriptor, layout } = file
  const { pageSize } = layout
  const page = Buffer.alloc(pageSize)
  const free = freePages(file)
  for (const number of pages) {
    if (readSync(descriptor, page, 0, pageSize, number * pageSize) < pageSize) continue
    const [from, to] = free.get(number) ?? freeSpaceOf(page, layout, number === 0) ?? [0, 0]
    writeSync(descriptor, zeros, 0, to - from, number * pageSize + from)
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
    const found = pagesWithRemains(file)
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
