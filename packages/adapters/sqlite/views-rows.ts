import { randomUUID } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { GuardedWrite } from '#packages/ports/views.ts'
import type { HeldDocument } from '../documents.ts'
import { collections, type StoredCheckpoint, type StoredState } from '../view-marks.ts'
import { DamagedRowError } from './damaged-file.ts'
import { pageColumns, pageValues } from './page-query.ts'
import type { ViewsTables } from './view-tables.ts'

/** The document of each collection that carries its mark, as its position. No id of ours begins with a space. */
export const MARK = ' mark'

const setPageColumns = pageColumns.map((column) => `${column} = excluded.${column}`).join(', ')

type Row = Record<string, unknown>

/** The rows that views consist of. Each carries a checksum: a digit that was changed in a file is noticed when it is read. */
export class ViewsRows {
  readonly tables: ViewsTables
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync, tables: ViewsTables) {
    this.#database = database
    this.tables = tables
  }

  /** Empties them. Inside a transaction. @returns the name of what begins */
  makeNew(): string {
    const { documents, checkpoints, state } = this.tables
    this.#database.exec(`DELETE FROM ${documents}; DELETE FROM ${checkpoints}; DELETE FROM ${state}`)
    const generation = randomUUID()
    this.statement(`INSERT INTO ${state} (name, value) VALUES ('generation', ?)`).run(generation)
    for (const collection of collections) this.putMark(collection, 0)
    return generation
  }

  makeReadable(): void {
    this.statement(`REPLACE INTO ${this.tables.state} (name, value) VALUES ('readable', 'yes')`).run()
  }

  isReadable(): boolean {
    return this.#stateOf('readable') !== undefined
  }

  generation(): string | undefined {
    return this.#stateOf('generation')
  }

  #stateOf(name: string): string | undefined {
    const row = this.statement(`SELECT value FROM ${this.tables.state} WHERE name = ?`).get(name)
    return row && String(row.value)
  }

  /** How these views stand, but for single documents. */
  stored(projections: readonly string[]): StoredState {
    return {
      generation: this.generation(),
      marks: found(collections, (collection) => this.mark(collection)),
      checkpoints: found([...new Set([...collections, ...projections])], (projection) => this.checkpoint(projection)),
    }
  }

  document(collection: string, id: string): HeldDocument | undefined {
    const sql = `SELECT id, position, json, sum FROM ${this.tables.documents} WHERE collection = ? AND id = ?`
    const row = this.statement(sql).get(collection, id)
    return row && heldOf(collection, row)
  }

  /** Only where it is newer than what is there. */
  putDocument({ collection, id, position, fields }: GuardedWrite): void {
    const json = JSON.stringify(fields)
    const put = this.statement(
      `INSERT INTO ${this.tables.documents} (collection, id, position, json, sum, ${pageColumns.join(', ')})
       VALUES (?, ?, ?, ?, ?, ${pageColumns.map(() => '?').join(', ')})
       ON CONFLICT DO UPDATE SET position = excluded.position, json = excluded.json, sum = excluded.sum, ${setPageColumns}
       WHERE excluded.position > position`,
    )
    put.run(collection, id, position, json, sumOf(collection, id, position, json), ...pageValues(fields))
  }

  mark(collection: string): number | undefined {
    return this.document(collection, MARK)?.position
  }

  putMark(collection: string, position: number): void {
    this.putDocument({ collection, id: MARK, position, fields: {} })
  }

  checkpoint(projection: string): StoredCheckpoint | undefined {
    const { checkpoints } = this.tables
    const row = this.statement(`SELECT position, marked, sum FROM ${checkpoints} WHERE projection = ?`).get(projection)
    if (row === undefined) return undefined
    const [position, marked] = [Number(row.position), Number(row.marked)]
    if (row.sum !== sumOf(projection, position, marked)) throw new DamagedRowError('checkpoints')
    return { position, marked }
  }

  putCheckpoint(projection: string, { position, marked }: StoredCheckpoint): void {
    const { checkpoints } = this.tables
    const put = this.statement(`REPLACE INTO ${checkpoints} (projection, position, marked, sum) VALUES (?, ?, ?, ?)`)
    put.run(projection, position, marked, sumOf(projection, position, marked))
  }

  note(id: string): string | undefined {
    const row = this.statement('SELECT json, sum FROM notes WHERE id = ?').get(id)
    if (row === undefined) return undefined
    if (row.sum !== sumOf(id, String(row.json))) throw new DamagedRowError('notes')
    return String(row.json)
  }

  putNote(id: string, json: string): void {
    this.statement('REPLACE INTO notes (id, json, sum) VALUES (?, ?, ?)').run(id, json, sumOf(id, json))
  }

  statement(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

/** @throws DamagedRowError it is not what was written */
export function heldOf(collection: string, row: Row): HeldDocument {
  const [position, json] = [Number(row.position), String(row.json)]
  if (row.sum !== sumOf(collection, String(row.id), position, json)) throw new DamagedRowError('documents')
  return { position, json }
}

/** Of what a row consists of, in this order. */
const sumOf = (...parts: readonly (string | number)[]): number =>
  parts.reduce<number>((sum, part) => crc32('\n', crc32(String(part), sum)), 0)

function found<T>(names: readonly string[], read: (name: string) => T | undefined): Map<string, T> {
  const all = new Map<string, T>()
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) all.set(name, value)
  }
  return all
}
