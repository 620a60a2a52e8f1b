import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The positions of events that were removed on purpose, as ranges that never touch. Every other gap is damage. */
export class Removals {
  readonly #before: StatementSync
  readonly #put: StatementSync
  readonly #drop: StatementSync

  constructor(database: DatabaseSync) {
    this.#before = database.prepare('SELECT first, last FROM removals WHERE first <= ? ORDER BY first DESC LIMIT 1')
    this.#put = database.prepare('INSERT INTO removals (first, last) VALUES (?, ?)')
    this.#drop = database.prepare('DELETE FROM removals WHERE first = ?')
  }

  /** Adds positions in ascending order that were not removed before. */
  add(positions: readonly number[]): void {
    let first: number | undefined
    positions.forEach((position, index) => {
      first ??= position
      if (positions[index + 1] === position + 1) return
      this.#addRange(first, position)
      first = undefined
    })
  }

  #addRange(first: number, last: number): void {
    const before = this.#before.get(first)
    const after = this.#before.get(last + 1)
    const joinsBefore = before !== undefined && Number(before.last) === first - 1
    const joinsAfter = after !== undefined && Number(after.first) === last + 1
    if (joinsBefore) this.#drop.run(Number(before.first))
    if (joinsAfter) this.#drop.run(Number(after.first))
    this.#put.run(joinsBefore ? Number(before.first) : first, joinsAfter ? Number(after.last) : last)
  }
}

/** Returns a function: was every position from `first` to `last`, both included, removed on purpose? */
export function removalsOf(database: DatabaseSync): (first: number, last: number) => boolean {
  const find = database.prepare('SELECT last FROM removals WHERE first <= ? ORDER BY first DESC LIMIT 1')
  return (first, last) => Number(find.get(first)?.last ?? 0) >= last
}
