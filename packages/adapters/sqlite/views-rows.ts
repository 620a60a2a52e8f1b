import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { Document, GuardedRemoval, GuardedWrite, Stored, ViewsDefinition } from '#packages/ports/views.ts'
import { type HeldDocument, heldFields, listedDocument, rangeOf, storedDocument } from '../documents.ts'
import type { ViewsState } from '../views-state.ts'
import { DamagedRowError } from './damaged-file.ts'
import { pageColumn, pageFieldsOf, pageValues } from './page-query.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import type { ViewsTables } from './view-tables.ts'

/** The columns of a document that a list reads. They include the checksum of the large field instead of the field. */
export const listedColumns = 'id, position, json, large_sum, sum'

type Row = Record<string, unknown>

/** The rows of views. Each has a checksum, so a changed byte in the file is noticed when the row is read. */
export class ViewsRows {
  readonly tables: ViewsTables
  readonly #database: DatabaseSync
  readonly #definition: ViewsDefinition
  readonly #pageFields: readonly string[]
  readonly #prepared = new Map<string, StatementSync>()
  #putDocument: StatementSync | undefined
  #state: StatementSync | undefined
  #document: StatementSync | undefined

  constructor(database: DatabaseSync, tables: ViewsTables, definition: ViewsDefinition) {
    this.#database = database
    this.#definition = definition
    this.#pageFields = pageFieldsOf(definition)
    this.tables = tables
  }

  /** Begins new, empty views, without notes of another event store. Called inside a transaction. */
  makeNew(state: ViewsState): void {
    if ((this.state()?.store ?? state.store) !== state.store) this.#database.exec('DELETE FROM notes')
    if (this.#database.prepare(`DELETE FROM ${this.tables.documents}`).run().changes) noteRemoval(this.#database)
    this.putState(state)
  }

  /** Undefined if there are no views. */
  state(): ViewsState | undefined {
    this.#state ??= this.#database.prepare('SELECT * FROM state WHERE name = ?')
    const row = this.#state.get(this.tables.state)
    return row && stateOf(row)
  }

  putState(state: ViewsState): void {
    const { store, generation, checkpoint, applied, isReadable } = state
    const put = this.statement(
      `REPLACE INTO state (name, store, generation, checkpoint, applied, readable, sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    put.run(this.tables.state, store, generation, checkpoint, applied, Number(isReadable), sumOfState(state))
  }

  document<D extends Document>(collection: string, id: string): Stored<D> | undefined {
    this.#document ??= this.#database.prepare(
      `SELECT ${listedColumns}, large FROM ${this.tables.documents} WHERE collection = ? AND id = ?`,
    )
    const row = this.#document.get(collection, id)
    return row && this.stored<D>(collection, row)
  }

  /** @param row `listedColumns` and the large field @throws DamagedRowError the row differs from what was written */
  stored<D extends Document>(collection: string, row: Row): Stored<D> {
    return storedDocument<D>(this.#definition, collection, String(row.id), heldOf(collection, row))
  }

  /** The documents of a collection for which a condition holds, without their large fields. */
  list<D extends Document>(collection: string, where: string, ...values: readonly (string | number)[]): Stored<D>[] {
    return this.listBy(collection, `SELECT ${listedColumns} FROM ${this.tables.documents} WHERE ${where}`, values)
  }

  /** The same, for a query of `listedColumns`. */
  listBy<D extends Document>(collection: string, sql: string, values: readonly (string | number)[]): Stored<D>[] {
    const rows = this.statement(sql).all(...values)
    return rows.map((row) => listedDocument<D>(this.#definition, collection, String(row.id), listedOf(collection, row)))
  }

  /** The position of a document. Its large field is not read. */
  position(collection: string, id: string): number | undefined {
    const sql = `SELECT ${listedColumns} FROM ${this.tables.documents} WHERE collection = ? AND id = ?`
    const row = this.statement(sql).get(collection, id)
    return row && listedOf(collection, row).position
  }

  /** Stores a document if it is newer than the stored one. @returns its id */
  putDocument({ collection, id, position, fields }: GuardedWrite): [string] {
    const { json, large } = heldFields(this.#definition, collection, fields)
    this.#putDocument ??= this.#database.prepare(putDocumentSql(this.tables.documents, this.#pageFields))
    const largeSum = sumOfLarge(large)
    const sum = sumOf(collection, id, position, json, largeSum)
    const found = pageValues(this.#pageFields, fields)
    this.#putDocument.run(collection, id, position, json, largeSum, sum, ...found, large)
    return [id]
  }

  /** Deletes documents that are older than the removal. @returns their ids */
  removeDocuments({ collection, position, removes }: GuardedRemoval): string[] {
    const [which, ids] = 'id' in removes ? ['id = ?', [removes.id]] : ['id >= ? AND id < ?', rangeOf(removes.idPrefix)]
    const sql = `DELETE FROM ${this.tables.documents} WHERE collection = ? AND ${which} AND position < ? RETURNING id`
    const removed = this.statement(sql).all(collection, ...ids, position)
    if (removed.length > 0) noteRemoval(this.#database)
    return removed.map(({ id }) => String(id))
  }

  note(id: string): string | undefined {
    const row = this.statement('SELECT json, sum FROM notes WHERE id = ?').get(id)
    if (row === undefined) return undefined
    if (row.sum !== sumOf(id, String(row.json))) throw new DamagedRowError('notes')
    return String(row.json)
  }

  /** Those of `ids` that exist, with their JSON. */
  notes(ids: readonly string[]): [string, string][] {
    return ids.flatMap((id): [string, string][] => {
      const json = this.note(id)
      return json === undefined ? [] : [[id, json]]
    })
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

function putDocumentSql(documents: string, pageFields: readonly string[]): string {
  const pageColumns = pageFields.map(pageColumn)
  const columns = ['collection', 'id', 'position', 'json', 'large_sum', 'sum', ...pageColumns, 'large']
  const changes = columns.slice(2).map((column) => `${column} = excluded.${column}`)
  return `INSERT INTO ${documents} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT DO UPDATE SET ${changes.join(', ')} WHERE excluded.position > position`
}

/** @param row `listedColumns` @throws DamagedRowError the row differs from what was written */
function listedOf(collection: string, row: Row): Omit<HeldDocument, 'large'> {
  const [position, json] = [Number(row.position), String(row.json)]
  const sum = sumOf(collection, String(row.id), position, json, Number(row.large_sum))
  if (row.sum !== sum) throw new DamagedRowError('documents')
  return { position, json }
}

/** @param row `listedColumns` and the large field @throws DamagedRowError the row differs from what was written */
export function heldOf(collection: string, row: Row): HeldDocument {
  const large = row.large === null ? null : String(row.large)
  if (row.large_sum !== sumOfLarge(large)) throw new DamagedRowError('documents')
  return { ...listedOf(collection, row), large }
}

/** @throws DamagedRowError the row differs from what was written */
function stateOf(row: Row): ViewsState {
  const state = {
    store: String(row.store),
    generation: Number(row.generation),
    checkpoint: Number(row.checkpoint),
    applied: Number(row.applied),
    isReadable: row.readable === 1,
  }
  if (row.sum !== sumOfState(state)) throw new DamagedRowError('state')
  return state
}

/** A missing text has another checksum than an empty one. */
const sumOfLarge = (large: string | null): number => (large === null ? -1 : crc32(large))

/** The checksum of the parts of a row, in this order. */
const sumOf = (...parts: readonly (string | number)[]): number => crc32(parts.join('\n'))

const sumOfState = ({ store, generation, checkpoint, applied, isReadable }: ViewsState): number =>
  sumOf(store, generation, checkpoint, applied, Number(isReadable))
