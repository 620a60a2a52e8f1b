import type { Collection, Db } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type AppliedTo,
  type CollectionDefinition,
  type ViewsDefinition,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import { emptyState, hasPassed, movedTo, nextGeneration, type ViewsState } from '../views-state.ts'
import { inReach } from './connection.ts'

/** `newest`: the greatest generation begun so far, which may be under construction beside the live one. */
type StateDocument = ViewsState & { _id: string; newest: number }

/**
 * The server deletes the tombstone of a removed document after this time: no running process is so far behind another.
 */
const GONE_FOR_SECONDS = 24 * 60 * 60

/** E11000: another writer was first. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === 11_000

/**
 * Generations of the views. Rebuilt views are a new generation in their own collections, and one document, the state,
 * names the live one. So nothing is renamed under readers and writers, and late writes to an old generation do no harm.
 * Numbers begin with the time, so they grow even if the database was emptied or restored from an older copy.
 */
export class Generations {
  readonly #db: Db
  readonly #clock: Clock
  readonly #states: Collection<StateDocument>
  readonly #definition: ViewsDefinition
  /** The id of the state of the live views. Programs with another version of the views have their own. */
  readonly live: string
  readonly #prepared = new Set<number>()

  constructor(db: Db, clock: Clock, definition: ViewsDefinition) {
    this.#db = db
    this.#clock = clock
    this.#definition = definition
    this.live = `views ${definition.version}`
    this.#states = db.collection<StateDocument>('states')
  }

  /** The id of the state of views that are built beside the live ones. */
  besideOf(generation: number): string {
    return `${this.live} ${generation}`
  }

  /** The name of the collection of one generation of a view. */
  nameOf(view: string, generation: number): string {
    return `${this.#prefixOf(view)}${generation}`
  }

  #prefixOf(view: string): string {
    return `${view}_${this.#definition.version}_`
  }

  /** The present state; undefined if there are no such views. @param id which views */
  async read(id = this.live): Promise<ViewsState | undefined> {
    return (await inReach(this.#states.findOne({ _id: id }))) ?? undefined
  }

  /**
   * Begins a new generation that replaces `found`, or the first one. Readers cannot read it yet. Deletes notes of
   * another event store. Does nothing if another process was first.
   * @param seen the newest generation that this process has seen
   */
  async setAside(found: ViewsState | undefined, store: string, seen: number): Promise<void> {
    const newest = found === undefined ? 0 : (found as StateDocument).newest
    const state = emptyState(store, nextGeneration(this.#clock.now(), newest, seen))
    await this.prepare(state.generation)
    const document = { ...state, newest: state.generation }
    if (found !== undefined) {
      const { generation, applied } = found
      if (found.store !== store) await inReach(this.#db.collection('notes').deleteMany({}))
      await inReach(this.#states.updateOne({ _id: this.live, generation, applied }, { $set: document }))
      return
    }
    await inReach(this.#states.insertOne({ _id: this.live, ...document })).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error
    })
  }

  /** Moves the state if it still equals the known one. @returns undefined if it is another; then it stays unchanged */
  async move(id: string, known: ViewsState, to: AppliedTo): Promise<ViewsState | undefined> {
    const moved = movedTo(known, to)
    const { store, generation, applied, checkpoint } = known
    const filter = { _id: id, store, generation, applied, checkpoint: { $gte: checkpoint } }
    const update = { $max: { applied: moved.applied, checkpoint: moved.checkpoint } }
    const { matchedCount } = await inReach(this.#states.updateOne(filter, update))
    return matchedCount === 1 ? moved : undefined
  }

  /** Makes this generation readable, and removes older ones. @returns false if it is not live */
  async makeReadable(generation: number): Promise<boolean> {
    const filter = { _id: this.live, generation }
    const { matchedCount, modifiedCount } = await inReach(
      this.#states.updateOne(filter, { $set: { isReadable: true } }),
    )
    // Only one process removes them.
    if (modifiedCount === 1) await this.remove((other) => other < generation)
    return matchedCount === 1
  }

  /** Creates the missing indexes of a generation, once in each process. */
  async prepare(generation: number): Promise<void> {
    if (this.#prepared.has(generation)) return
    for (const [view, collection] of Object.entries(this.#definition.collections))
      await inReach(this.#prepareOne(this.nameOf(view, generation), collection))
    this.#prepared.add(generation)
  }

  async #prepareOne(name: string, { findBy = [], pages = [] }: CollectionDefinition): Promise<void> {
    const collection = this.#db.collection(name)
    await collection.createIndex({ goneAt: 1 }, { sparse: true, expireAfterSeconds: GONE_FOR_SECONDS })
    for (const field of findBy) await collection.createIndex({ [field]: 1 })
    for (const { where, by } of pages) {
      const equal = where.map((field): [string, 1] => [field, 1])
      await collection.createIndex(Object.fromEntries([...equal, [by, -1], ['_id', -1]]))
    }
  }

  /**
   * Begins a new generation beside the live one, for the caller alone.
   * @returns both
   * @throws ViewsReplacedError there are no live ones
   */
  async next(): Promise<{ live: number; next: number }> {
    const found = await inReach(
      this.#states.findOneAndUpdate({ _id: this.live }, { $inc: { newest: 1 } }, { returnDocument: 'after' }),
    )
    if (found === null) throw new ViewsReplacedError()
    const { generation: live, newest: next, store } = found
    await this.prepare(next)
    await inReach(this.#states.insertOne({ _id: this.besideOf(next), ...emptyState(store, next), newest: next }))
    return { live, next }
  }

  /**
   * Makes the views that were built beside the live ones the live ones, if they have overtaken them. The check and the
   * switch are one operation, because the state of the live ones moves with every batch.
   * @throws ViewsReplacedError `live` is no longer live, or the new ones are gone
   */
  async replace(live: number, generation: number): Promise<boolean> {
    const [old, next] = await Promise.all([this.read(), this.read(this.besideOf(generation))])
    if (old?.generation !== live || next === undefined) throw new ViewsReplacedError()
    if (!hasPassed(next, old)) return false
    const { applied, checkpoint } = next
    const filter = { _id: this.live, generation: live, applied: { $lte: applied }, checkpoint: { $lte: checkpoint } }
    const update = { $set: { generation, applied, checkpoint, isReadable: true } }
    return (await inReach(this.#states.updateOne(filter, update))).matchedCount === 1
  }

  /** Removes the unwanted generations. */
  async remove(isUnwanted: (generation: number) => boolean): Promise<void> {
    const prefixes = Object.keys(this.#definition.collections).map((view) => this.#prefixOf(view))
    const collections = await inReach(this.#db.listCollections({}, { nameOnly: true }).toArray())
    for (const { name } of collections) {
      const prefix = prefixes.find((each) => name.startsWith(each))
      if (prefix !== undefined && isUnwanted(Number(name.slice(prefix.length))))
        await inReach(this.#db.collection(name).drop())
    }
  }

  /** Deletes the state of views that were built beside the live ones. */
  async forgetBeside(generation: number): Promise<void> {
    await inReach(this.#states.deleteOne({ _id: this.besideOf(generation) }))
  }
}
