import type { DatabaseSync } from 'node:sqlite'

/** A file of which removed rows leave no byte. */
export type WipedFile = 'events' | 'views'

/** The number in the header of each file that SQLite leaves to applications, and that is not used otherwise in it. */
const numbers = { events: 'application_id', views: 'user_version' } as const

const LARGEST = 2 ** 31 - 1

/**
 * Counts in a file's header the transactions that have removed rows. The number is positive while remains of them may
 * be in the file, and negative once a wipe has ended that began after the last of them. It outlives a process that was
 * killed, and every process that has the file open sees it.
 */
export class Unwiped {
  readonly #database: DatabaseSync
  readonly #what: WipedFile

  constructor(database: DatabaseSync, what: WipedFile) {
    this.#database = database
    this.#what = what
  }

  get isWanted(): boolean {
    return this.#count > 0 || this.#wasUncounted
  }

  /** Called within a transaction that removes rows. */
  add(): void {
    this.#put((Math.abs(this.#count) % LARGEST) + 1)
  }

  /** Called within a transaction that moves pages: a wipe under way may have missed what is on them. */
  addMoved(): void {
    if (this.isWanted) this.add()
  }

  /** Called within a transaction, at the beginning of a wipe. @returns for `clear` */
  begin(): number {
    if (this.#count === 0) this.add()
    return this.#count
  }

  /** Called within a transaction, at the end of a wipe. @returns false where more was removed since it began */
  clear(began: number): boolean {
    const isLast = this.#count === began
    if (isLast) this.#put(-Math.abs(began))
    return isLast
  }

  /** Changes the file, in a transaction. */
  touch(): void {
    this.#put(this.#count)
  }

  /** Whether a program that did not count yet has removed events. */
  get #wasUncounted(): boolean {
    if (this.#what === 'views' || this.#count !== 0) return false
    return this.#database.prepare('SELECT 1 FROM removals LIMIT 1').get() !== undefined
  }

  get #count(): number {
    return Number(Object.values(this.#database.prepare(`PRAGMA ${numbers[this.#what]}`).get() ?? {})[0])
  }

  #put(count: number): void {
    this.#database.exec(`PRAGMA ${numbers[this.#what]} = ${count}`)
  }
}
