import { randomUUID } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { allShards, type Shard } from '#packages/ports/shards.ts'
import type { GuardedRemoval, GuardedWrite, ViewsDefinition } from '#packages/ports/views.ts'
import { type HeldDocument, heldFields, rangeOf } from '../documents.ts'
import { atStart, greatestOf, interruptedAgain, readAs, type ShardPositions, writtenAs } from '../shard-positions.ts'
import { type Begun, firstCheckpoint, moved, type StoredCheckpoint, type StoredState } from '../view-marks.ts'
import { DamagedRowError } from './damaged-file.ts'
import { pageColumn, pageFieldsOf, pageValues } from './page-query.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import type { ViewsTables } from './view-tables.ts'

/**
 * The id of the document in each collection that has its mark, and as its position the newest that was written. No id of
 * ours begins with a space.
 */
export const MARK = ' mark'

/** The columns that a list reads of a document. The checksum of the large field is here in place of the field. */
export const listedColumns = 'id, position, json, large_sum, sum'

type Row = Record<string, unknown>

/** The mark of a collection, and the newest position that was written to it. */
type Written = { mark: number; newest: number }

/** The rows of views. Each has a checksum: a changed byte in the file is noticed when the row is read. */
export class ViewsRows {
  readonly tables: ViewsTables
  readonly #database: DatabaseSync
  readonly #definition: ViewsDefinition
  readonly #collections: readonly string[]
  readonly #pageFields: readonly string[]
  readonly #prepared = new Map<string, StatementSync>()
  #putDocument: StatementSync | undefined
  #standing: StatementSync | undefined
  #document: StatementSync | undefined

  constructor(database: DatabaseSync, tables: ViewsTables, definition: ViewsDefinition) {
    this.#database = database
    this.#definition = definition
    this.#collections = Object.keys(definition.collections)
    this.#pageFields = pageFieldsOf(definition)
    this.tables = tables
  }

  /** Empties the views. Called inside a transaction. @returns the new generation */
  makeNew(): string {
    const { documents, checkpoints, state } = this.tables
    if (this.#database.prepare(`DELETE FROM ${documents}`).run().changes) noteRemoval(this.#database)
    this.#database.exec(`DELETE FROM ${checkpoints}; DELETE FROM ${state}`)
    const generation = randomUUID()
    this.statement(`INSERT INTO ${state} (name, value) VALUES ('generation', ?)`).run(generation)
    for (const collection of this.#collections) this.#putWritten(collection, { mark: 0, newest: 0 })
    return generation
  }

  /** These shards have reached the end of the feed: readable once all have. */
  makeReadable(shards: ReadonlySet<Shard> = allShards): void {
    const whole = this.#whole().union(shards)
    this.#putState('whole', [...whole].join(' '))
    if (whole.size === allShards.size) this.#putState('readable', 'yes')
  }

  #whole(): Set<Shard> {
    return new Set(this.#stateOf('whole')?.split(' ').map(Number))
  }

  #putState(name: string, value: string): void {
    this.statement(`REPLACE INTO ${this.tables.state} (name, value) VALUES (?, ?)`).run(name, value)
  }

  /**
   * The state that every read of a collection checks first, in one query; undefined where the collection has no mark.
   */
  standing(collection: string): { isReadable: boolean; generation: unknown; mark: number } | undefined {
    this.#standing ??= this.#database.prepare(
      `SELECT ${listedColumns},
         (SELECT value FROM ${this.tables.state} WHERE name = 'readable') AS readable,
         (SELECT value FROM ${this.tables.state} WHERE name = 'generation') AS generation
       FROM ${this.tables.documents} WHERE collection = ? AND id = '${MARK}'`,
    )
    const row = this.#standing.get(collection)
    if (row === undefined) return undefined
    const { readable, generation } = row
    return {
      isReadable: readable !== null,
      generation: generation ?? undefined,
      mark: writtenIn(collection, row).mark,
    }
  }

  /** How often the writers of each shard were interrupted. */
  interruptions(): ShardPositions {
    const text = this.#stateOf('interrupted')
    return text === undefined ? atStart : readAs(text)
  }

  interrupt(shards: ReadonlySet<Shard>): void {
    this.#putState('interrupted', writtenAs(interruptedAgain(this.interruptions(), shards)))
  }

  generation(): string | undefined {
    return this.#stateOf('generation')
  }

  #stateOf(name: string): string | undefined {
    const row = this.statement(`SELECT value FROM ${this.tables.state} WHERE name = ?`).get(name)
    return row && String(row.value)
  }

  /** The state of these views. */
  stored(projections: readonly string[]): StoredState {
    return {
      generation: this.generation(),
      marks: found(this.#collections, (collection) => this.written(collection)?.mark),
      checkpoints: found(new Set([...this.#collections, ...projections]), (projection) => this.checkpoint(projection)),
      whole: this.#whole(),
    }
  }

  document(collection: string, id: string): HeldDocument | undefined {
    this.#document ??= this.#database.prepare(
      `SELECT ${listedColumns}, large FROM ${this.tables.documents} WHERE collection = ? AND id = ?`,
    )
    const row = this.#document.get(collection, id)
    return row && heldOf(collection, row)
  }

  /** The position of a document; its large field is not read. */
  position(collection: string, id: string): number | undefined {
    const sql = `SELECT ${listedColumns} FROM ${this.tables.documents} WHERE collection = ? AND id = ?`
    const row = this.statement(sql).get(collection, id)
    return row && listedOf(collection, row).position
  }

  /** Stores a document, if it is newer than the stored one. @returns its id */
  putDocument({ collection, id, position, fields }: GuardedWrite): [string] {
    const { json, large } = heldFields(this.#definition, collection, fields)
    this.#putDocument ??= this.#database.prepare(putDocumentSql(this.tables.documents, this.#pageFields))
    const largeSum = sumOfLarge(large)
    const sum = sumOf(collection, id, position, json, largeSum)
    const found = pageValues(this.#pageFields, fields)
    this.#putDocument.run(collection, id, position, json, largeSum, sum, ...found, large)
    return [id]
  }

  /** Deletes documents that are older than their removal. @returns their ids */
  removeDocuments({ collection, position, removes }: GuardedRemoval): string[] {
    const [which, ids] = 'id' in removes ? ['id = ?', [removes.id]] : ['id >= ? AND id < ?', rangeOf(removes.idPrefix)]
    const sql = `DELETE FROM ${this.tables.documents} WHERE collection = ? AND ${which} AND position < ? RETURNING id`
    const removed = this.statement(sql).all(collection, ...ids, position)
    if (removed.length > 0) noteRemoval(this.#database)
    return removed.map(({ id }) => String(id))
  }

  /** How often a collection was written, and up to which position; undefined where it was dropped or emptied. */
  written(collection: string): Written | undefined {
    const sql = `SELECT ${listedColumns} FROM ${this.tables.documents} WHERE collection = ? AND id = '${MARK}'`
    const row = this.statement(sql).get(collection)
    return row && writtenIn(collection, row)
  }

  /** The collection is written once more, up to this position. @returns its new mark */
  writeOnce({ mark, newest }: Written, collection: string, position: number): number {
    this.#putWritten(collection, { mark: mark + 1, newest: Math.max(newest, position) })
    return mark + 1
  }

  #putWritten(collection: string, { mark, newest }: Written): void {
    const put = this.statement(`
      INSERT INTO ${this.tables.documents} (collection, id, position, json, large_sum, sum) VALUES (?, '${MARK}', ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET position = excluded.position, json = excluded.json, sum = excluded.sum`)
    const [json, noLarge] = [JSON.stringify({ mark }), sumOfLarge(null)]
    put.run(collection, newest, json, noLarge, sumOf(collection, MARK, newest, json, noLarge))
  }

  checkpoint(projection: string): StoredCheckpoint | undefined {
    const row = this.statement(`SELECT * FROM ${this.tables.checkpoints} WHERE projection = ?`).get(projection)
    return row && checkpointOf(row)
  }

  /** The checkpoints' positions; 0 where one is missing. */
  positions(projections: readonly string[]): ShardPositions[] {
    return projections.map((each) => this.checkpoint(each)?.positions ?? atStart)
  }

  putCheckpoint(projection: string, { positions, marked }: StoredCheckpoint): void {
    const { checkpoints } = this.tables
    const put = this.statement(`REPLACE INTO ${checkpoints} (projection, positions, marked, sum) VALUES (?, ?, ?, ?)`)
    const text = writtenAs(positions)
    put.run(projection, text, marked, sumOf(projection, text, marked))
  }

  /** Never backwards. @returns where it was */
  moveCheckpoint(projection: string, begun: Begun, position: number): ShardPositions {
    const from = this.checkpoint(projection) ?? firstCheckpoint
    this.putCheckpoint(projection, moved(from, begun, { position, mark: this.written(projection)?.mark ?? 0 }))
    return from.positions
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

  putNotes(notes: readonly (readonly [id: string, json: string])[]): void {
    const put = this.statement('REPLACE INTO notes (id, json, sum) VALUES (?, ?, ?)')
    for (const [id, json] of notes) put.run(id, json, sumOf(id, json))
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

/** @param row `listedColumns`. @throws DamagedRowError they are not what was written */
export function listedOf(collection: string, row: Row): Omit<HeldDocument, 'large'> {
  const [position, json] = [Number(row.position), String(row.json)]
  const sum = sumOf(collection, String(row.id), position, json, Number(row.large_sum))
  if (row.sum !== sum) throw new DamagedRowError('documents')
  return { position, json }
}

/** @param row `listedColumns` of the mark. @throws DamagedRowError they are not what was written */
function writtenIn(collection: string, row: Row): Written {
  const { position: newest, json } = listedOf(collection, row)
  return { mark: Number(JSON.parse(json).mark), newest }
}

/** @param row `listedColumns` and the large field. @throws DamagedRowError they are not what was written */
export function heldOf(collection: string, row: Row): HeldDocument {
  const large = row.large === null ? null : String(row.large)
  if (row.large_sum !== sumOfLarge(large)) throw new DamagedRowError('documents')
  return { ...listedOf(collection, row), large }
}

/** @throws DamagedRowError it is not what was written */
export function checkpointOf(row: Row): StoredCheckpoint {
  const [positions, marked] = [String(row.positions), Number(row.marked)]
  if (row.sum !== sumOf(String(row.projection), positions, marked)) throw new DamagedRowError('checkpoints')
  return { positions: readAs(positions), marked }
}

/** The greatest position that any view has reached; 0 where there is none. @throws DamagedRowError */
export const furthestOf = (database: DatabaseSync): number =>
  Math.max(
    0,
    ...database
      .prepare('SELECT * FROM checkpoints')
      .all()
      .map((row) => greatestOf(checkpointOf(row).positions)),
  )

/** A missing text has another checksum than an empty one. */
const sumOfLarge = (large: string | null): number => (large === null ? -1 : crc32(large))

/** The checksum of the parts of a row, in this order. */
const sumOf = (...parts: readonly (string | number)[]): number => crc32(parts.join('\n'))

function found<T>(names: Iterable<string>, read: (name: string) => T | undefined): Map<string, T> {
  const all = new Map<string, T>()
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) all.set(name, value)
  }
  return all
}
