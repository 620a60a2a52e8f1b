import type { Collection, Db } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type AppliedTo,
  type Document,
  type GuardedChange,
  type PageQuestion,
  type RebuildableViews,
  type Stored,
  type ViewsDefinition,
  ViewsLostError,
  type ViewsRebuild,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import { assertIndexed, assertPageIndex, listedDocument, storedDocument } from '../documents.ts'
import { BegunViews, problemOf, SeenViews, type ViewsState } from '../views-state.ts'
import { ChangeWatch, rarely, soon } from './change-watch.ts'
import { inReach, type MongoConnection } from './connection.ts'
import { Generations } from './generations.ts'
import { applyGuarded, type Held, isThere, withoutRace } from './guarded-writes.ts'

export type MongoViewsOptions = {
  connection: MongoConnection
  clock: Clock
  /** Views of another version are stored beside these. */
  definition: ViewsDefinition
  /** The id of the event store; views of another store are rebuilt. Without it, any views are accepted. */
  storeId?: (() => Promise<string>) | undefined
  /** For how long readers may rely on the last read of the state, milliseconds. Default: 1,000. */
  staleAfterMs?: number
}

type Note = { _id: string; json: string }

/** How many times to look again at views that another process is replacing. */
const ROUNDS = 3

/** The views in a database that services share. Calls that do not reach it throw UnreachableError. */
export function openMongoViews(options: MongoViewsOptions): RebuildableViews {
  const { connection, clock, definition } = options
  const generations = new Generations(connection.db, clock, definition)
  return new MongoViews(connection.db, generations, { storeId: undefined, staleAfterMs: 1000, ...options })
}

export class MongoViews implements RebuildableViews {
  readonly #db: Db
  readonly #generations: Generations
  readonly #options: Required<MongoViewsOptions>
  readonly #notes: Collection<Note>
  readonly #watch: ChangeWatch
  /** The generation of these views if they are under construction; undefined for the live ones. */
  readonly #beside: number | undefined
  /** The id of the document that holds their state. */
  readonly #state: string
  readonly #begun = new BegunViews()
  readonly #seen = new SeenViews()
  /** The last look at the state, by readers. */
  #looked: { state: Promise<ViewsState>; at: number } | undefined
  /** The id of the event store; undefined until it is known. */
  #storeId: string | undefined

  constructor(db: Db, generations: Generations, options: Required<MongoViewsOptions>, beside?: number) {
    this.#db = db
    this.#generations = generations
    this.#options = options
    this.#beside = beside
    this.#state = beside === undefined ? generations.live : generations.besideOf(beside)
    this.#notes = db.collection<Note>('notes')
    this.#watch = new ChangeWatch(options.clock, (name, ids) => this.#positions(name, ids))
  }

  async begin(): Promise<number> {
    const store = await this.#options.storeId?.()
    this.#storeId = store
    for (let round = 0; ; round++) {
      const state = await this.#generations.read(this.#state)
      const what = this.#begun.problemOf(state, store)
      if (state !== undefined && what === undefined) {
        await this.#generations.prepare(state.generation)
        this.#begun.note(state)
        return state.checkpoint
      }
      if (this.#beside !== undefined) throw new ViewsReplacedError()
      if (round === ROUNDS) throw new ViewsLostError(what ?? 'there are none')
      await this.#generations.setAside(state, store ?? state?.store ?? '', this.#begun.generation)
    }
  }

  /** Writes the documents first, then compares the state and moves it: no transaction covers both. */
  async apply(changes: readonly GuardedChange[], to: AppliedTo): Promise<void> {
    const known = this.#begun.state
    const now = new Date(this.#options.clock.now())
    await Promise.all(
      [...Map.groupBy(changes, ({ collection }) => collection)].map(([name, ofOne]) =>
        applyGuarded(this.#options.definition, this.#held(name, known.generation), ofOne, now),
      ),
    )
    const moved = await this.#generations.move(this.#state, known, to)
    if (moved === undefined) {
      await this.verify()
      throw new ViewsReplacedError()
    }
    this.#begun.note(moved)
  }

  async verify(): Promise<void> {
    this.#looked = undefined
    this.#begun.assertOurs(await this.#generations.read(this.#state), this.#storeId)
  }

  async makeReadable(): Promise<void> {
    const { state } = this.#begun
    if (this.#beside !== undefined) return
    this.#looked = undefined
    if (!(await this.#generations.makeReadable(state.generation))) throw new ViewsReplacedError()
    this.#begun.note({ ...state, isReadable: true })
  }

  problem(): Promise<string | undefined> {
    return problemOf(() => this.#look())
  }

  /** The state, at most `staleAfterMs` old. @throws ViewsUnreadableError */
  #readable(): Promise<ViewsState> {
    const looked = this.#looked
    const isFresh = looked !== undefined && this.#options.clock.now() < looked.at + this.#options.staleAfterMs
    return isFresh ? looked.state : this.#look()
  }

  /** The present state. @throws ViewsUnreadableError */
  #look(): Promise<ViewsState> {
    const looked = { state: this.#readState(), at: this.#options.clock.now() }
    this.#looked = looked
    looked.state.catch(() => {
      if (this.#looked === looked) this.#looked = undefined
    })
    return looked.state
  }

  async #readState(): Promise<ViewsState> {
    // Readers do not wait for the event store.
    if (this.#storeId === undefined)
      void this.#options.storeId?.().then(
        (id) => {
          this.#storeId = id
        },
        () => {},
      )
    return this.#seen.assertReadable(await this.#generations.read(this.#state), this.#storeId)
  }

  /** The documents that a reader may read now. @throws ViewsUnreadableError */
  async #readableHeld(collection: string): Promise<Collection<Held>> {
    return this.#held(collection, (await this.#readable()).generation)
  }

  async checkpoint(): Promise<number> {
    return (await this.#generations.read(this.#state))?.checkpoint ?? 0
  }

  async waitForApplied(position: number, timeoutMs: number): Promise<boolean> {
    const applied = async (): Promise<number> => (await this.#generations.read(this.#state))?.applied ?? 0
    if ((await applied()) >= position) return true
    await this.#watch.wait({ collection: STATES, id: this.#state }, position - 1, soon, timeoutMs)
    return (await applied()) >= position
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    return this.#documentOf<D>(collection, await this.#getHeld(collection, id))
  }

  /** Also returns the tombstone of a removed document. */
  async #getHeld(collection: string, id: string): Promise<Held | undefined> {
    const found = await inReach((await this.#readableHeld(collection)).findOne({ _id: id }))
    // The document may be missing because all are.
    if (found === null) await this.#look()
    return found ?? undefined
  }

  #documentOf<D extends Document>(collection: string, held: Held | undefined): Stored<D> | undefined {
    return held && isThere(held) ? storedDocument<D>(this.#options.definition, collection, held._id, held) : undefined
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    const generation = this.#begun.generation || (await this.#generations.read(this.#state))?.generation
    if (ids.length === 0 || generation === undefined) return []
    const found = this.#held(collection, generation).find({ _id: { $in: [...new Set(ids)] } })
    const held = await inReach(found.toArray())
    return held.map((each) => this.#documentOf<D>(collection, each)).filter((document) => document !== undefined)
  }

  async listMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    const readable = await this.#readableHeld(collection)
    const found = await inReach(readable.find({ _id: { $in: [...new Set(ids)] } }, withoutLarge).toArray())
    return this.#listed<D>(collection, found.filter(isThere))
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(this.#options.definition, collection, field)
    const readable = await this.#readableHeld(collection)
    const found = await inReach(readable.find({ [field]: value }, withoutLarge).toArray())
    return this.#listed<D>(collection, found)
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(this.#options.definition, collection, question)
    const { where, by, after, limit } = question
    const isOne = Object.entries(where).map(([field, values]) => ({ [field]: { $in: [...values] } }))
    const isNext = after && { $or: [{ [by]: { $lt: after.by } }, { [by]: after.by, _id: { $lt: after.id } }] }
    const filter = { $and: [...isOne, isNext ?? { [by]: { $type: 'number' as const } }] }
    const readable = await this.#readableHeld(collection)
    const found = await inReach(
      readable
        .find(filter, withoutLarge)
        .sort({ [by]: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    )
    return this.#listed<D>(collection, found)
  }

  async #listed<D extends Document>(collection: string, found: readonly Held[]): Promise<Stored<D>[]> {
    // As in `get`.
    if (found.length === 0) await this.#look()
    return found.map((held) => listedDocument<D>(this.#options.definition, collection, held._id, held))
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
    // After a removal, only a newer version of the document ends the wait.
    const above = Math.max(position, document === undefined ? (held?.position ?? 0) : 0)
    await this.#watch.wait({ collection, id }, above, rarely, timeoutMs, signal)
    if (signal?.aborted) return document
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

  async rebuild(): Promise<ViewsRebuild> {
    const [generations, { clock, staleAfterMs }] = [this.#generations, this.#options]
    if ((await generations.read()) === undefined)
      await generations.setAside(undefined, (await this.#options.storeId?.()) ?? '', this.#begun.generation)
    const { live, next } = await generations.next()
    const views = new MongoViews(this.#db, generations, this.#options, next)
    let isLive = false
    return {
      views,
      async takeOver() {
        isLive ||= await generations.replace(live, next)
        if (!isLive) return false
        // For so long after the switch, a process may read the old ones.
        await clock.sleep(2 * staleAfterMs)
        await generations.remove((other) => other <= live)
        return true
      },
      async [Symbol.asyncDispose]() {
        await views[Symbol.asyncDispose]()
        await generations.forgetBeside(next)
        if (!isLive) await generations.remove((other) => other === next)
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.close()
  }

  #held(collection: string, generation: number): Collection<Held> {
    return this.#db.collection<Held>(this.#generations.nameOf(collection, generation))
  }

  async #positions(name: string, ids: readonly string[]): Promise<Map<string, number>> {
    if (name === STATES) return new Map([[this.#state, (await this.#generations.read(this.#state))?.applied ?? 0]])
    const wanted = { _id: { $in: [...ids] } }
    const found = (await this.#readableHeld(name)).find(wanted, { projection: { position: 1 } })
    return new Map((await inReach(found.toArray())).map(({ _id, position }) => [_id, position]))
  }
}

/** The name under which waits for `applied` are listed in place of a collection. */
const STATES = 'states'

/** For lists of documents. */
const withoutLarge = { projection: { large: 0 } }
