import type { Collection, Db, Document } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import { allShards, SHARDS, type Shard } from '#packages/ports/shards.ts'
import {
  type CollectionDefinition,
  type ViewsDefinition,
  ViewsLostError,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import { inReach } from './connection.ts'

/**
 * The live generation of the views, the newest one that was begun, and whether the live one may be read. `whole`: its
 * shards that have reached the end of the feed.
 */
type Pointer = { _id: string; live: number; newest: number; isReadable: boolean; whole?: Shard[] }

/** `whole`: its shards that have reached the end of the feed; all where it may be read. */
export type Live = { generation: number; isReadable: boolean; whole: ReadonlySet<Shard> }

/** @throws ViewsLostError nothing is live @throws ViewsReplacedError another generation is */
export function assertLive(live: Live | undefined, generation: number): void {
  if (live === undefined) throw new ViewsLostError('there are none')
  if (live.generation !== generation) throw new ViewsReplacedError()
}

/** `documents`: those that were found, by collection; none where nothing is live. */
export type LiveWith = { live: Live | undefined; documents: ReadonlyMap<string, readonly Document[]> }

/**
 * The id of the document in each collection that has its mark (`mark`), and as its position the newest that was written.
 * No id of ours begins with a space.
 */
export const MARK = ' mark'

/** The server deletes the place of a removed document after this time: no running process is so far behind another. */
const GONE_FOR_SECONDS = 24 * 60 * 60

/** E11000: another writer was first. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === 11_000

/**
 * Generations of the views. Views that are made anew are a new generation in collections of their own, and one
 * document, the pointer, says which is live. So nothing is renamed under readers and writers, and late writes to an old
 * generation do no harm. Numbers only grow, also where the database was emptied or put back: they begin with the time.
 */
export class Generations {
  readonly #db: Db
  readonly #clock: Clock
  readonly #pointers: Collection<Pointer>
  readonly #definition: ViewsDefinition
  /** The id of the pointer. Programs with another version of the views have a pointer of their own. */
  readonly #pointer: string
  /** How long the pointer is cached, milliseconds. */
  readonly #staleAfterMs: number
  readonly #prepared = new Set<number>()
  #known: { live: Promise<Live | undefined>; readAt: number } | undefined
  /** The newest generation that was seen live. */
  #newest = 0

  constructor(db: Db, clock: Clock, definition: ViewsDefinition, staleAfterMs: number) {
    this.#db = db
    this.#definition = definition
    this.#pointer = `views ${definition.version}`
    this.#clock = clock
    this.#pointers = db.collection<Pointer>('generations')
    this.#staleAfterMs = staleAfterMs
  }

  /** The name of the collection of one generation of a view, and of its checkpoint. */
  nameOf(view: string, generation: number): string {
    return `${this.#prefixOf(view)}${generation}`
  }

  #prefixOf(view: string): string {
    return `${view}_${this.#definition.version}_`
  }

  /** The live generation, perhaps from the cache; undefined where there is none. */
  live(): Promise<Live | undefined> {
    const now = this.#clock.now()
    if (this.#known === undefined || now - this.#known.readAt >= this.#staleAfterMs) void this.liveNow()
    return this.#known?.live ?? this.liveNow()
  }

  /** The live generation at this moment. */
  liveNow(): Promise<Live | undefined> {
    const known = { live: inReach(this.#read()), readAt: this.#clock.now() }
    this.#known = known
    known.live.catch(() => {
      if (this.#known === known) this.#known = undefined
    })
    return known.live
  }

  async #read(): Promise<Live | undefined> {
    return this.#liveOf(await this.#pointers.findOne({ _id: this.#pointer }))
  }

  async #liveOf(found: Pointer | null): Promise<Live | undefined> {
    if (found === null) return undefined
    const { live, isReadable, whole } = found
    if (live >= this.#newest) {
      this.#newest = live
      return { generation: live, isReadable, whole: isReadable ? allShards : new Set(whole) }
    }
    // The whole database is an older copy: this process sets it aside for all.
    await this.setAside(live)
    return this.#read()
  }

  /**
   * The live generation at this moment, and documents of several collections, in one call: most of the cost of a look is
   * the calls. The collections are read one after the other, in the order given.
   * @param wanted ids, by the name of their collection
   */
  async liveWith(wanted: ReadonlyMap<string, readonly string[]>): Promise<LiveWith> {
    const lookups = Array.from(wanted, ([from, ids]) => {
      return { $lookup: { from, pipeline: [{ $match: { _id: { $in: [...ids] } } }], as: from } }
    })
    const read = this.#pointers.aggregate<Pointer & Document>([{ $match: { _id: this.#pointer } }, ...lookups])
    const [found] = await inReach(read.toArray())
    return {
      live: await inReach(this.#liveOf(found ?? null)),
      documents: new Map(Array.from(wanted.keys(), (name) => [name, found?.[name] ?? []])),
    }
  }

  /**
   * Begins a new generation in place of `from`, or of none; nobody may read it yet. Does nothing where others were
   * first.
   */
  async setAside(from: number | undefined): Promise<void> {
    const found = await inReach(this.#pointers.findOne({ _id: this.#pointer }))
    if (found?.live !== from) return
    const live = Math.max(this.#clock.now(), (found?.newest ?? 0) + 1, this.#newest + 1)
    await this.prepare(live)
    const fields = { live, newest: live, isReadable: false, whole: [] }
    if (from !== undefined)
      await inReach(this.#pointers.updateOne({ _id: this.#pointer, live: from }, { $set: fields }))
    else
      await inReach(this.#pointers.insertOne({ _id: this.#pointer, ...fields })).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error
      })
  }

  /**
   * These shards of a generation have reached the end of the feed: lets it be read where all have. Only the process that
   * does this removes the older ones: otherwise several would remove the same collections at once.
   * @returns false where it is not live
   */
  async makeReadable(generation: number, shards: ReadonlySet<Shard>): Promise<boolean> {
    const filter = { _id: this.#pointer, live: generation }
    const { matchedCount } = await inReach(
      this.#pointers.updateOne(filter, { $addToSet: { whole: { $each: [...shards] } } }),
    )
    if (matchedCount === 0) return false
    const found = await inReach(this.#pointers.findOne(filter))
    this.forget()
    if (found === null) return false
    if (found.isReadable || (found.whole?.length ?? 0) < SHARDS) return true
    const done = await inReach(this.#pointers.updateOne(filter, { $set: { isReadable: true } }))
    if (done.modifiedCount === 1) await this.remove((other) => other < generation)
    return done.matchedCount === 1
  }

  /** Clears the cache of the pointer. */
  forget(): void {
    this.#known = undefined
  }

  /** Makes the missing indexes of a generation, once in each process, and the marks of a new one. */
  async prepare(generation: number): Promise<void> {
    if (this.#prepared.has(generation)) return
    for (const [view, collection] of Object.entries(this.#definition.collections))
      await inReach(this.#prepareOne(view, collection, generation))
    this.#prepared.add(generation)
  }

  async #prepareOne(
    view: string,
    { findBy = [], pages = [] }: CollectionDefinition,
    generation: number,
  ): Promise<void> {
    const isNew = generation > this.#newest
    const collection = this.#db.collection<{ _id: string; position: number; json: string; large: null }>(
      this.nameOf(view, generation),
    )
    await collection.createIndex({ goneAt: 1 }, { sparse: true, expireAfterSeconds: GONE_FOR_SECONDS })
    for (const field of findBy) await collection.createIndex({ [field]: 1 })
    for (const { where, by } of pages) {
      const equal = where.map((field): [string, 1] => [field, 1])
      await collection.createIndex(Object.fromEntries([...equal, [by, -1], ['_id', -1]]))
    }
    if (isNew)
      await collection.updateOne(
        { _id: MARK },
        { $max: { position: 0, mark: 0 }, $set: { json: '{}', large: null } },
        { upsert: true },
      )
  }

  /** A new generation for the caller alone. */
  async next(): Promise<number> {
    if ((await this.liveNow()) === undefined) await this.setAside(undefined)
    const pointer = await inReach(
      this.#pointers.findOneAndUpdate({ _id: this.#pointer }, { $inc: { newest: 1 } }, { returnDocument: 'after' }),
    )
    if (pointer === null) throw new Error('the generations of the views are gone')
    await this.prepare(pointer.newest)
    return pointer.newest
  }

  /** Makes `to` live and readable in place of `from`. False where `from` is not live. */
  async replace(from: number, to: number): Promise<boolean> {
    const fields = { live: to, isReadable: true }
    const { matchedCount } = await inReach(
      this.#pointers.updateOne({ _id: this.#pointer, live: from }, { $set: fields }),
    )
    this.forget()
    return matchedCount === 1
  }

  /** Resolves when no process has the old pointer cached any more. */
  seenByAll(): Promise<void> {
    return this.#clock.sleep(2 * this.#staleAfterMs)
  }

  /** Removes the collections and checkpoints of the generations that are unwanted. */
  async remove(isUnwanted: (generation: number) => boolean): Promise<void> {
    const prefixes = Object.keys(this.#definition.collections).map((view) => this.#prefixOf(view))
    const isNameOfOne = (name: string): boolean =>
      prefixes.some((prefix) => name.startsWith(prefix) && isUnwanted(Number(name.slice(prefix.length))))
    const collections = await this.#db.listCollections({}, { nameOnly: true }).toArray()
    for (const { name } of collections) if (isNameOfOne(name)) await this.#db.collection(name).drop()
    const checkpoints = this.#db.collection<{ _id: string }>('checkpoints')
    const found = await checkpoints.find({}, { projection: { _id: 1 } }).toArray()
    await checkpoints.deleteMany({ _id: { $in: found.map(({ _id }) => _id).filter(isNameOfOne) } })
  }
}
