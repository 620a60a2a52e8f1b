import type { Collection, Db } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import { indexedFields, pageIndexes, viewsVersion } from '#packages/ports/views.ts'
import { inReach } from './connection.ts'

/** Which of the views that were ever made are live, and the newest of which any were begun. */
type Pointer = { _id: string; live: number; newest: number }

/** Programs that make documents of another shape have views of their own. */
const POINTER = `views ${viewsVersion}`

/** E11000: another writer was first. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === 11_000

/** The collection that one generation of a view lies in. It also names that generation's checkpoint. */
export const nameOf = (view: string, generation: number): string => `${prefixOf(view)}${generation}`

const prefixOf = (view: string): string => `${view}_${viewsVersion}_`

export const isView = (name: string): boolean => Object.hasOwn(indexedFields, name)

/**
 * Generations of the views: rebuilt views are a new generation in collections of their own, and one document says
 * which is live. So nothing is ever renamed under those who read and write.
 */
export class Generations {
  readonly #db: Db
  readonly #clock: Clock
  readonly #pointers: Collection<Pointer>
  /** How old what is remembered of the pointer may be, milliseconds. */
  readonly #staleAfterMs: number
  readonly #prepared = new Set<number>()
  #known: { live: Promise<number>; readAt: number } | undefined

  constructor(db: Db, clock: Clock, staleAfterMs: number) {
    this.#db = db
    this.#clock = clock
    this.#pointers = db.collection<Pointer>('generations')
    this.#staleAfterMs = staleAfterMs
  }

  /** The live one, as it was a moment ago. */
  live(): Promise<number> {
    const now = this.#clock.now()
    if (this.#known === undefined || now - this.#known.readAt >= this.#staleAfterMs) void this.liveNow()
    return this.#known?.live ?? this.liveNow()
  }

  /** The live one at this moment; makes the first where there is none. */
  liveNow(): Promise<number> {
    const known = { live: inReach(this.#read()), readAt: this.#clock.now() }
    this.#known = known
    known.live.catch(() => {
      if (this.#known === known) this.#known = undefined
    })
    return known.live
  }

  async #read(): Promise<number> {
    const found = await this.#pointers.findOne({ _id: POINTER })
    const live = found?.live ?? 1
    await this.#prepare(live)
    if (found === null)
      await this.#pointers.insertOne({ _id: POINTER, live, newest: live }).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error
      })
    return live
  }

  /** Makes the indexes of a generation, where they are missing, once in the life of this process. */
  async #prepare(generation: number): Promise<void> {
    if (this.#prepared.has(generation)) return
    for (const [view, fields] of Object.entries(indexedFields)) {
      const collection = this.#db.collection(nameOf(view, generation))
      for (const field of fields) await collection.createIndex({ [field]: 1 })
      for (const { where, by } of pageIndexes[view] ?? []) {
        const equal = where.map((field): [string, 1] => [field, 1])
        await collection.createIndex(Object.fromEntries([...equal, [by, -1], ['_id', -1]]))
      }
    }
    this.#prepared.add(generation)
  }

  /** A new one, which is nobody's but the caller's. */
  async next(): Promise<number> {
    await this.liveNow()
    const pointer = await this.#pointers.findOneAndUpdate(
      { _id: POINTER },
      { $inc: { newest: 1 } },
      { returnDocument: 'after' },
    )
    if (pointer === null) throw new Error('the generations of the views are gone')
    await this.#prepare(pointer.newest)
    return pointer.newest
  }

  /** Makes `to` live in place of `from`. False where `from` is not live. */
  async replace(from: number, to: number): Promise<boolean> {
    const { matchedCount } = await this.#pointers.updateOne({ _id: POINTER, live: from }, { $set: { live: to } })
    return matchedCount === 1
  }

  /** Resolves when whoever asked for the live one before has asked again. */
  seenByAll(): Promise<void> {
    return this.#clock.sleep(2 * this.#staleAfterMs)
  }

  /** Removes what the generations hold that `isUnwanted` names. */
  async remove(isUnwanted: (generation: number) => boolean): Promise<void> {
    const views = Object.keys(indexedFields)
    const isNameOfOne = (name: string): boolean =>
      views.some((view) => name.startsWith(prefixOf(view)) && isUnwanted(Number(name.slice(prefixOf(view).length))))
    const collections = await this.#db.listCollections({}, { nameOnly: true }).toArray()
    for (const { name } of collections) if (isNameOfOne(name)) await this.#db.collection(name).drop()
    const checkpoints = this.#db.collection<{ _id: string }>('checkpoints')
    const found = await checkpoints.find({}, { projection: { _id: 1 } }).toArray()
    await checkpoints.deleteMany({ _id: { $in: found.map(({ _id }) => _id).filter(isNameOfOne) } })
  }
}
