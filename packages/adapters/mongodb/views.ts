import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import { allShards } from '#packages/ports/shards.ts'
import {
  type Document,
  type GuardedChange,
  type PageQuestion,
  type RebuildableViews,
  type Stored,
  type ViewsDefinition,
  ViewsLostError,
  ViewsReplacedError,
  ViewsUnreadableError,
  viewsProblem,
} from '#packages/ports/views.ts'
import { assertIndexed, assertPageIndex, listedDocument, storedDocument } from '../documents.ts'
import { leastOf } from '../shard-positions.ts'
import { newestOf, nothingBegun, SeenViews, type StoredState } from '../view-marks.ts'
import { ChangeWatch, type Watched } from './change-watch.ts'
import { type Checkpoint, firstFields, positionsOf, shardField } from './checkpoints.ts'
import { inReach, type MongoConnection } from './connection.ts'
import { assertLive, Generations, type Live, MARK } from './generations.ts'
import { applyGuarded, type Held, isThere, withoutRace } from './guarded-writes.ts'
import { areInterrupted, type Interruptions, interruptionsOf, neverInterrupted } from './interruptions.ts'
import { markIn, moveMark, readMark, saidBy } from './mark.ts'
import { MongoRebuild } from './rebuild.ts'

export type MongoViewsOptions = {
  connection: MongoConnection
  clock: Clock
  /** Views of another version are stored beside these. */
  definition: ViewsDefinition
  /** How long it may take until this process sees rebuilt views, milliseconds. Default 1,000. */
  staleAfterMs?: number
}

type Note = { _id: string; json: string }

/** `live`: what was live as this was read. `interruptions`: by collection. */
type MongoState = StoredState & { live: Live | undefined; interruptions: ReadonlyMap<string, Interruptions> }

/** The views in a database that services share. Calls that do not reach it throw UnreachableError. */
export function openMongoViews(options: MongoViewsOptions): RebuildableViews {
  const { connection, clock, definition, staleAfterMs = 1000 } = options
  return new MongoViews(connection.db, new Generations(connection.db, clock, definition, staleAfterMs), options)
}

export class MongoViews implements RebuildableViews {
  readonly #db: Db
  readonly #generations: Generations
  readonly #definition: ViewsDefinition
  readonly #collections: readonly string[]
  readonly #options: MongoViewsOptions
  readonly #checkpoints: Collection<Checkpoint>
  readonly #notes: Collection<Note>
  readonly #watch: ChangeWatch
  /** The generation to read and write, where these are views under construction; undefined for the live ones. */
  readonly #fixed: number | undefined
  /** The generation to which the projections here write. */
  #generation: number | undefined
  #begun = nothingBegun
  /** Of each collection, when these were begun, or later where only those of others were interrupted since. */
  #interruptions = new Map<string, Interruptions>()
  readonly #written: SeenViews
  readonly #read: SeenViews

  constructor(db: Db, generations: Generations, options: MongoViewsOptions, fixed?: number) {
    this.#db = db
    this.#generations = generations
    this.#definition = options.definition
    this.#collections = Object.keys(options.definition.collections)
    this.#written = new SeenViews(this.#collections)
    this.#read = new SeenViews(this.#collections)
    this.#options = options
    this.#fixed = fixed
    this.#checkpoints = db.collection<Checkpoint>('checkpoints')
    this.#notes = db.collection<Note>('notes')
    this.#watch = new ChangeWatch(options.clock, (name, ids) => this.#positions(name, ids))
  }

  async begin(projections: readonly string[], shards = allShards): Promise<number> {
    const generation = this.#fixed ?? (await this.#soundGeneration())
    await this.#generations.prepare(generation)
    const missing = projections.map((projection): AnyBulkWriteOperation<Checkpoint> => {
      const filter = { _id: this.#generations.nameOf(projection, generation) }
      return { updateOne: { filter, update: { $setOnInsert: firstFields }, upsert: true } }
    })
    if (missing.length > 0) await withoutRace(() => this.#checkpoints.bulkWrite(missing, { ordered: false }))
    const stored = await this.#stored(generation, projections)
    for (const [collection, mark] of stored.marks) this.#written.noteMark(generation, collection, mark)
    this.#generation = generation
    this.#begun = { projections, shards }
    this.#interruptions = new Map(stored.interruptions)
    this.#written.begin(stored, this.#begun)
    return Math.min(...projections.map((each) => this.#written.checkpoint(generation, each)))
  }

  /** The live generation, or a new one where the live one is not what was written. */
  async #soundGeneration(): Promise<number> {
    for (let round = 0; ; round++) {
      const live = await this.#generations.liveNow()
      if (live !== undefined) {
        const stored = await this.#stored(live.generation, this.#begun.projections)
        const what = this.#written.problemOf(stored, this.#begun)
        if (what === undefined) return live.generation
        if (round > 1) throw new ViewsLostError(what)
      }
      await this.#generations.setAside(live?.generation)
    }
  }

  /** The checkpoints are read first: marks that are read later are never behind them. */
  async #stored(generation: number, projections: readonly string[]): Promise<MongoState> {
    const nameOf = (view: string): string => this.#generations.nameOf(view, generation)
    const views = new Map([...this.#collections, ...projections].map((view) => [nameOf(view), view]))
    const marked = this.#collections.map((view): [string, string[]] => [nameOf(view), [MARK]])
    const wanted = new Map([['checkpoints', [...views.keys()]], ...marked])
    const { live, documents } = await this.#generations.liveWith(wanted)
    const found = (documents.get('checkpoints') ?? []) as Checkpoint[]
    const checkpoints = new Map(
      found.map((one) => [views.get(one._id) ?? one._id, { positions: positionsOf(one), marked: one.marked }]),
    )
    const marks = this.#collections.map((view) => [view, documents.get(nameOf(view))?.[0] as Held | undefined] as const)
    return { generation, live, checkpoints, whole: live?.whole ?? new Set(), ...saidBy(marks) }
  }

  /**
   * Writes the marks first, guarded by their old values, then the documents, the checkpoints last: no transaction has
   * them all. Only a checkpoint asks which generation is live: each question costs as much as a write.
   */
  async apply(projections: readonly string[], changes: readonly GuardedChange[], checkpoint?: number): Promise<void> {
    const generation = this.#assertBegun()
    const moving = [...newestOf(changes)].map(async ([collection, newest]) => {
      return [collection, await this.#moveMark(generation, collection, newest)] as const
    })
    const marks = await Promise.all(moving)
    const now = new Date(this.#options.clock.now())
    await Promise.all(
      [...Map.groupBy(changes, ({ collection }) => collection)].map(([name, ofOne]) =>
        applyGuarded(this.#definition, this.#held(name, generation), ofOne, now),
      ),
    )
    for (const [collection, mark] of marks) this.#written.noteMark(generation, collection, mark)
    if (checkpoint === undefined) return
    await this.#moveCheckpoints(generation, projections, checkpoint)
    for (const each of projections) this.#written.noteCheckpoint(generation, each, checkpoint)
    // Checked last: a generation that becomes live later has passed the checkpoint that was just written.
    await this.#assertLive(generation)
  }

  #assertBegun(): number {
    if (this.#generation === undefined) throw new ViewsReplacedError()
    return this.#generation
  }

  async #assertLive(generation: number): Promise<void> {
    if (this.#fixed === undefined) assertLive(await this.#generations.liveNow(), generation)
  }

  /** @returns the new mark, or that of a later write */
  async #moveMark(generation: number, collection: string, newest: number): Promise<number> {
    const known = this.#interruptions.get(collection) ?? neverInterrupted
    const held = this.#held(collection, generation)
    const moved = await moveMark(held, { least: this.#written.mark(generation, collection), known, newest })
    if (moved !== undefined) return moved
    await this.#assertLive(generation)
    const found = await readMark(held)
    const now = found === null ? known : interruptionsOf(found)
    if (areInterrupted(this.#begun.shards, known, now)) throw new ViewsReplacedError()
    if (now.all !== known.all) {
      // Those of others alone.
      this.#interruptions.set(collection, now)
      return this.#moveMark(generation, collection, newest)
    }
    throw new ViewsLostError(`the collection ${collection} is older than what was written`)
  }

  async #moveCheckpoints(generation: number, projections: readonly string[], position: number): Promise<void> {
    const fields = Array.from(this.#begun.shards, shardField)
    const moves = projections.map((each): AnyBulkWriteOperation<Checkpoint> => {
      const least = this.#written.checkpoint(generation, each)
      // Those of one process move together: in an older copy all of them are older.
      const isThere = Object.fromEntries(fields.slice(0, 1).map((field) => [field, { $gte: least }]))
      const filter = { _id: this.#generations.nameOf(each, generation), ...isThere }
      const to = Object.fromEntries(fields.map((field) => [field, position]))
      return { updateOne: { filter, update: { $max: { ...to, marked: this.#written.mark(generation, each) } } } }
    })
    if (moves.length === 0) return
    const { matchedCount } = await inReach(this.#checkpoints.bulkWrite(moves, { ordered: false }))
    if (matchedCount === moves.length) return
    await this.#assertLive(generation)
    throw new ViewsLostError('a checkpoint is older than what was written')
  }

  async verify(): Promise<void> {
    const generation = this.#assertBegun()
    // Compared with the state before the read: `#written` may move on meanwhile.
    const written = this.#written.copy()
    const stored = await this.#stored(generation, this.#begun.projections)
    if (this.#fixed === undefined) assertLive(stored.live, generation)
    written.verify(stored, this.#begun)
  }

  async makeReadable(): Promise<void> {
    const generation = this.#assertBegun()
    if (this.#fixed !== undefined) return
    if (!(await this.#generations.makeReadable(generation, this.#begun.shards))) throw new ViewsReplacedError()
    this.#written.noteWhole(generation)
  }

  async problem(): Promise<string | undefined> {
    try {
      await this.#generations.liveNow()
      await Promise.all(this.#collections.map((collection) => this.#believed(collection, async () => undefined)))
      return undefined
    } catch (error) {
      if (error instanceof ViewsUnreadableError) return viewsProblem
      throw error
    }
  }

  /**
   * Reads from a collection, and then its mark: a loss meanwhile is noticed.
   * @throws ViewsUnreadableError
   */
  async #believed<T>(collection: string, read: (held: Collection<Held>) => Promise<T>): Promise<T> {
    const generation = await this.#readable()
    const held = this.#held(collection, generation)
    const seen = this.#read.copy()
    const value = await inReach(read(held))
    const mark = await readMark(held)
    this.#believe(seen, generation, collection, mark ?? undefined)
    return value
  }

  #believe(seen: SeenViews, generation: number, collection: string, found: Held | undefined): void {
    const mark = found && markIn(found)
    try {
      seen.read(generation, collection, mark)
    } catch (error) {
      this.#generations.forget()
      throw error
    } finally {
      if (mark !== undefined) this.#read.noteMark(generation, collection, mark)
    }
  }

  async #readable(): Promise<number> {
    if (this.#fixed !== undefined) return this.#fixed
    const live = await this.#generations.live()
    if (live?.isReadable) return live.generation
    this.#generations.forget()
    throw new ViewsUnreadableError()
  }

  async checkpoint(projection: string): Promise<number> {
    const generation = await this.#current()
    if (generation === undefined) return 0
    const found = await inReach(this.#checkpoints.findOne({ _id: this.#generations.nameOf(projection, generation) }))
    return found === null ? 0 : leastOf(positionsOf(found))
  }

  async waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean> {
    if ((await this.checkpoint(projection)) >= position) return true
    await this.#watch.waitSoon({ collection: 'checkpoints', id: projection }, position - 1, timeoutMs)
    return (await this.checkpoint(projection)) >= position
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    return this.#documentOf<D>(collection, await this.#getHeld(collection, id))
  }

  /** Also where it is gone. */
  async #getHeld(collection: string, id: string): Promise<Held | undefined> {
    const generation = await this.#readable()
    const seen = this.#read.copy()
    // In one query: most reads are polls of one document.
    const found = await inReach(
      this.#held(collection, generation)
        .find({ _id: { $in: [id, MARK] } })
        .toArray(),
    )
    this.#believe(
      seen,
      generation,
      collection,
      found.find(({ _id }) => _id === MARK),
    )
    return found.find(({ _id }) => _id === id)
  }

  #documentOf<D extends Document>(collection: string, held: Held | undefined): Stored<D> | undefined {
    return held && isThere(held) ? storedDocument<D>(this.#definition, collection, held._id, held) : undefined
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    const generation = this.#generation ?? (await this.#current())
    if (ids.length === 0 || generation === undefined) return []
    const found = this.#held(collection, generation).find({ _id: { $in: [...new Set(ids)] } })
    const held = await inReach(found.toArray())
    return held.map((each) => this.#documentOf<D>(collection, each)).filter((document) => document !== undefined)
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(this.#definition, collection, field)
    const found = await this.#believed(collection, (held) => held.find({ [field]: value }, withoutLarge).toArray())
    return found.map((held) => listedDocument<D>(this.#definition, collection, held._id, held))
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(this.#definition, collection, question)
    const { where, by, after, limit } = question
    const isOne = Object.entries(where).map(([field, values]) => ({ [field]: { $in: [...values] } }))
    const isNext = after && { $or: [{ [by]: { $lt: after.by } }, { [by]: after.by, _id: { $lt: after.id } }] }
    const filter = { $and: [...isOne, isNext ?? { [by]: { $type: 'number' as const } }] }
    const found = await this.#believed(collection, (held) =>
      held
        .find(filter, withoutLarge)
        .sort({ [by]: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    )
    return found.map((each) => listedDocument<D>(this.#definition, collection, each._id, each))
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    const held = await this.#getHeld(collection, id)
    const document = this.#documentOf<D>(collection, held)
    if (document === undefined ? position > 0 : document.position > position) return document
    if (timeoutMs <= 0 || signal?.aborted) return document
    // One that is gone and was never seen here has to come again.
    const above = Math.max(position, document === undefined ? (held?.position ?? 0) : 0)
    await this.#watch.wait({ collection, id } satisfies Watched, above, timeoutMs, signal)
    if (signal?.aborted) return document
    return this.get<D>(collection, id)
  }

  async putNote(id: string, note: Document): Promise<void> {
    const json = JSON.stringify(note)
    await withoutRace(() => this.#notes.replaceOne({ _id: id }, { json }, { upsert: true }))
  }

  async putNotes(notes: ReadonlyMap<string, Document>): Promise<void> {
    if (notes.size === 0) return
    const writes = Array.from(notes, ([_id, note]) => ({
      replaceOne: { filter: { _id }, replacement: { json: JSON.stringify(note) }, upsert: true },
    }))
    await withoutRace(() => this.#notes.bulkWrite(writes, { ordered: false }))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    const found = await inReach(this.#notes.find({ _id: { $in: [...ids] } }).toArray())
    return new Map(found.map(({ _id, json }) => [_id, JSON.parse(json) as D]))
  }

  async rebuild(): Promise<MongoRebuild> {
    const generation = await this.#generations.next()
    const live = (await this.#generations.liveNow())?.generation
    if (live === undefined) throw new ViewsReplacedError()
    const views = new MongoViews(this.#db, this.#generations, this.#options, generation)
    const [db, definition, generations] = [this.#db, this.#definition, this.#generations]
    return new MongoRebuild({ db, definition, live, generation, generations, views })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.close()
  }

  async #current(): Promise<number | undefined> {
    return this.#fixed ?? (await this.#generations.live())?.generation
  }

  #held(collection: string, generation: number): Collection<Held> {
    return this.#db.collection<Held>(this.#generations.nameOf(collection, generation))
  }

  async #positions(name: string, ids: readonly string[]): Promise<Map<string, number>> {
    const generation = await this.#current()
    if (generation === undefined) return new Map()
    if (name === 'checkpoints') {
      const idOf = new Map(ids.map((id) => [this.#generations.nameOf(id, generation), id]))
      const found = await this.#checkpoints.find({ _id: { $in: [...idOf.keys()] } }).toArray()
      return new Map(found.map((one) => [idOf.get(one._id) ?? one._id, leastOf(positionsOf(one))]))
    }
    const wanted = { _id: { $in: [...ids] } }
    const found = this.#held(name, generation).find(wanted, { projection: { position: 1 } })
    return new Map((await inReach(found.toArray())).map(({ _id, position }) => [_id, position]))
  }
}

/** For lists of documents. */
const withoutLarge = { projection: { large: 0 } }
