import { type AnyBulkWriteOperation, type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type Document,
  type GuardedWrite,
  indexedFields,
  type PageQuestion,
  pageIndexes,
  type RebuildableViews,
  type Stored,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import {
  assertIndexed,
  assertPageIndex,
  type HeldFields,
  heldFields,
  listedDocument,
  storedDocument,
} from '../documents.ts'
import { ChangeWatch, type Watched } from './change-watch.ts'
import { inReach, type MongoConnection } from './connection.ts'
import { Generations, isDuplicate, isView, nameOf } from './generations.ts'
import { MongoRebuild } from './rebuild.ts'

export type MongoViewsOptions = {
  connection: MongoConnection
  clock: Clock
  /** How often what has been waited for a while is looked at, milliseconds. Default 250. */
  pollMs?: number
  /** How long it may take until rebuilt views are seen, milliseconds. Default 1,000. */
  staleAfterMs?: number
}

/**
 * A document as it lies in its collection. Its fields are JSON text, so that every value and every name comes back as
 * it was written, one that may be large apart from the others; those that it can be found by stand beside it once more.
 */
type Held = { _id: string; position: number } & HeldFields & Record<string, unknown>
type Checkpoint = { _id: string; position: number }
type Note = { _id: string; json: string }

/**
 * The views in a database that services share. The first call that reaches it makes the indexes that are missing; every
 * call that does not throws UnreachableError.
 */
export function openMongoViews(options: MongoViewsOptions): RebuildableViews {
  const { connection, clock, staleAfterMs = 1000 } = options
  return new MongoViews(connection.db, new Generations(connection.db, clock, staleAfterMs), options)
}

export class MongoViews implements RebuildableViews {
  readonly #db: Db
  readonly #generations: Generations
  readonly #options: MongoViewsOptions
  readonly #checkpoints: Collection<Checkpoint>
  readonly #notes: Collection<Note>
  readonly #watch: ChangeWatch
  /** The only one that is read and written, where these views are not the live ones. */
  readonly #fixed: number | undefined
  /** The generation that the projections here go on with. */
  #begun: number | undefined

  constructor(db: Db, generations: Generations, options: MongoViewsOptions, fixed?: number) {
    this.#db = db
    this.#generations = generations
    this.#options = options
    this.#fixed = fixed
    this.#checkpoints = db.collection<Checkpoint>('checkpoints')
    this.#notes = db.collection<Note>('notes')
    this.#watch = new ChangeWatch(options.clock, (name, ids) => this.#positions(name, ids), options.pollMs ?? 250)
  }

  async begin(projections: readonly string[]): Promise<number> {
    this.#begun = this.#fixed ?? (await this.#generations.liveNow())
    return Math.min(...(await Promise.all(projections.map((projection) => this.checkpoint(projection)))))
  }

  /** Documents first, the checkpoint last: there is no transaction that has both. */
  async apply(projections: readonly string[], writes: readonly GuardedWrite[], checkpoint: number): Promise<void> {
    const begun = projections.some(isView) ? this.#begun : undefined
    const generation = begun ?? (await this.#generation())
    for (const [collection, ofOne] of Map.groupBy(newestOfEach(writes), (write) => write.collection))
      await writeGuarded(this.#held(collection, generation), ofOne)
    const moves = projections.map((projection): AnyBulkWriteOperation<Checkpoint> => {
      const filter = { _id: checkpointId(projection, generation) }
      return { updateOne: { filter, update: { $max: { position: checkpoint } }, upsert: true } }
    })
    if (moves.length > 0) await withoutRace(() => this.#checkpoints.bulkWrite(moves, { ordered: false }))
    // Asked last: whatever takes their place from now on has passed the checkpoint that was just written.
    if (begun === undefined || this.#fixed !== undefined) return
    if ((await this.#generations.liveNow()) !== begun) throw new ViewsReplacedError()
  }

  async checkpoint(projection: string): Promise<number> {
    const found = await inReach(this.#checkpoints.findOne({ _id: checkpointId(projection, await this.#generation()) }))
    return found?.position ?? 0
  }

  async waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean> {
    if ((await this.checkpoint(projection)) >= position) return true
    await this.#watch.wait({ collection: 'checkpoints', id: projection }, position - 1, timeoutMs)
    return (await this.checkpoint(projection)) >= position
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    const held = await inReach(this.#held(collection, await this.#generation()).findOne({ _id: id }))
    return held === null ? undefined : storedDocument<D>(collection, id, held)
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    if (ids.length === 0) return []
    const found = this.#held(collection, await this.#generation()).find({ _id: { $in: [...new Set(ids)] } })
    return (await inReach(found.toArray())).map((held) => storedDocument<D>(collection, held._id, held))
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(collection, field)
    const found = this.#held(collection, await this.#generation()).find({ [field]: value }, withoutLarge)
    return (await inReach(found.toArray())).map((held) => listedDocument<D>(collection, held._id, held))
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(collection, question)
    const { where, by, after, limit } = question
    const isOne = Object.entries(where).map(([field, values]) => ({ [field]: { $in: [...values] } }))
    const isNext = after && { $or: [{ [by]: { $lt: after.by } }, { [by]: after.by, _id: { $lt: after.id } }] }
    const filter = { $and: [...isOne, isNext ?? { [by]: { $type: 'number' as const } }] }
    const held = this.#held(collection, await this.#generation())
    const found = held
      .find(filter, withoutLarge)
      .sort({ [by]: -1, _id: -1 })
      .limit(limit)
    return (await inReach(found.toArray())).map((each) => listedDocument<D>(collection, each._id, each))
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    const document = await this.get<D>(collection, id)
    if (document !== undefined && document.position > position) return document
    if (timeoutMs <= 0 || signal?.aborted) return document
    await this.#watch.wait({ collection, id } satisfies Watched, position, timeoutMs, signal)
    return this.get<D>(collection, id)
  }

  async putNote(id: string, note: Document): Promise<void> {
    const json = JSON.stringify(note)
    await withoutRace(() => this.#notes.replaceOne({ _id: id }, { json }, { upsert: true }))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    const found = await inReach(this.#notes.find({ _id: { $in: [...ids] } }).toArray())
    return new Map(found.map(({ _id, json }) => [_id, JSON.parse(json) as D]))
  }

  async rebuild(): Promise<MongoRebuild> {
    const live = await this.#generations.liveNow()
    const generation = await this.#generations.next()
    const views = new MongoViews(this.#db, this.#generations, this.#options, generation)
    return new MongoRebuild({ live, generation, generations: this.#generations, views }, this.#checkpoints)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.close()
  }

  async #generation(): Promise<number> {
    return this.#fixed ?? this.#generations.live()
  }

  #held(collection: string, generation: number): Collection<Held> {
    return this.#db.collection<Held>(nameOf(collection, generation))
  }

  async #positions(name: string, ids: readonly string[]): Promise<Map<string, number>> {
    const generation = await this.#generation()
    if (name === 'checkpoints') {
      const idOf = new Map(ids.map((id) => [checkpointId(id, generation), id]))
      const found = await this.#checkpoints.find({ _id: { $in: [...idOf.keys()] } }).toArray()
      return new Map(found.map(({ _id, position }) => [idOf.get(_id) ?? _id, position]))
    }
    const wanted = { _id: { $in: [...ids] } }
    const found = this.#held(name, generation).find(wanted, { projection: { position: 1 } })
    return new Map((await inReach(found.toArray())).map(({ _id, position }) => [_id, position]))
  }
}

/** For those who list documents. */
const withoutLarge = { projection: { large: 0 } }

const checkpointId = (projection: string, generation: number): string =>
  isView(projection) ? nameOf(projection, generation) : projection

/** Of several writes to one document the one that leaves it as all of them would: one bulk has each document once. */
function newestOfEach(writes: readonly GuardedWrite[]): GuardedWrite[] {
  const newest = new Map<string, GuardedWrite>()
  for (const write of writes) {
    const key = `${write.collection} ${write.id}`
    const other = newest.get(key)
    if (other === undefined || other.position < write.position) newest.set(key, write)
  }
  return [...newest.values()]
}

async function writeGuarded(collection: Collection<Held>, writes: readonly GuardedWrite[]): Promise<void> {
  const operations = writes.map((write): AnyBulkWriteOperation<Held> => {
    const { id, position, fields } = write
    const filter = { _id: id, position: { $lt: position } }
    return { replaceOne: { filter, replacement: heldOf(write, fields) as Held, upsert: true } }
  })
  try {
    await inReach(collection.bulkWrite(operations, { ordered: false }))
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** Fields that a collection is searched or ordered by. */
const foundBy = Object.fromEntries(
  Object.entries(indexedFields).map(([collection, fields]) => {
    const ofPages = (pageIndexes[collection] ?? []).flatMap(({ where, by }) => [...where, by])
    return [collection, [...new Set([...fields, ...ofPages])]]
  }),
)

/** Without its id, which the filter tells. */
function heldOf({ collection, position }: GuardedWrite, fields: Document): Omit<Held, '_id'> {
  const found = (foundBy[collection] ?? []).filter((field) => fields[field] !== undefined)
  const beside = Object.fromEntries(found.map((field) => [field, fields[field]]))
  return { ...beside, position, ...heldFields(collection, fields) }
}

/**
 * A guarded upsert of a document that is there, and further, tries to insert it a second time: it was applied already.
 * The others of the bulk have been applied all the same.
 */
function onlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false
  const errors = [error.writeErrors].flat()
  return errors.length > 0 && errors.every(isDuplicate)
}

/** Two who upsert the same for the first time: the later one finds it there when it tries again. */
async function withoutRace(write: () => Promise<unknown>): Promise<void> {
  await inReach(write()).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
    return inReach(write())
  })
}
