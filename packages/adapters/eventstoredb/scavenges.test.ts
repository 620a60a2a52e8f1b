import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { grants, historyAfter, idsOf } from '#packages/ports/event-store-samples.contract.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { type EventStoreDouble, startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { Random } from '#test/doubles/random.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { type EventStoreDb, openEventStoreDb } from './event-store.ts'

const ROUNDS = 100
const FOLLOWERS = 3

/** A follower that is away most of the time: the ids it has received, and its position. */
type Absentee = { ids: string[]; after: number }

/** A store that other programs use too, and that may be scavenged at any time. */
class SharedStore implements AsyncDisposable {
  readonly chance: Random
  /** Ids of our events, by stream. Removed streams are deleted from it. */
  readonly kept = new Map<string, string[]>()
  readonly removed = new Set<string>()
  readonly #double: EventStoreDouble
  readonly #folder: AsyncDisposable
  readonly #ours: EventStoreDb
  readonly #others: EventStoreDBClient
  /** Streams of other programs that keep only their newest event. */
  readonly #cut = new Set<string>()
  #streams = 0

  private constructor(seed: number, double: EventStoreDouble, folder: AsyncDisposable) {
    this.chance = new Random(`${seed}`)
    this.#double = double
    this.#folder = folder
    this.#ours = openEventStoreDb(double.url)
    this.#others = EventStoreDBClient.connectionString(double.url)
  }

  static async start(seed: number): Promise<SharedStore> {
    const folder = await temporaryDirectory()
    return new SharedStore(seed, await startEventStoreDouble({ path: join(folder.path, 'log.sqlite') }), folder)
  }

  /** Makes one random change to the store. */
  async step(): Promise<void> {
    const { chance } = this
    const other = `other-${chance.between(0, 1)}`
    const events = Array.from({ length: chance.between(1, 3) }, (_, n) => jsonEvent({ type: 'Else', data: { n } }))
    const streams = [...this.kept.keys()] as [string, ...string[]]
    const append = () => this.#append(`job-${this.#streams++}`, 'no-stream')
    // Writes several events to a stream. The next scavenge deletes all but the last.
    const write = async () => {
      if (!this.#cut.has(other)) await this.#others.setStreamMetadata(other, { maxCount: 1 })
      this.#cut.add(other)
      await this.#others.appendToStream(other, events)
    }
    const sweep = () => scavenge(this.#double.url)
    await chance.pick<() => Promise<unknown>>([
      append,
      ...[append, append, write, write, write, write, write, sweep, sweep],
      async () => streams.length > 0 && this.#appendBehind(chance.pick(streams)),
      async () => streams.length > 0 && this.#remove(chance.pick(streams)),
      () => {
        this.#cut.delete(other)
        return this.#others.deleteStream(other).catch(() => undefined)
      },
      async () => {
        const name = `other-gone-${this.#streams++}`
        await this.#others.appendToStream(name, events)
        await this.#others.tombstoneStream(name)
      },
    ])()
  }

  async #append(stream: string, expected: number | 'no-stream'): Promise<void> {
    const events = grants(this.chance.between(1, 3))
    await this.#ours.append(stream, expected, events)
    this.kept.set(stream, [...(this.kept.get(stream) ?? []), ...idsOf(events)])
  }

  #appendBehind(stream: string): Promise<void> {
    return this.#append(stream, (this.kept.get(stream)?.length ?? 0) - 1)
  }

  async #remove(stream: string): Promise<void> {
    await this.#ours.remove(stream)
    for (const id of this.kept.get(stream) ?? []) this.removed.add(id)
    this.kept.delete(stream)
  }

  /** Follows to the end, in a new process or in a running one. */
  async visit(absentee: Absentee): Promise<void> {
    await using started = this.chance.chance(0.7) ? openEventStoreDb(this.#double.url) : undefined
    for (const { events, position } of await historyAfter(started ?? this.#ours, absentee.after, ['job-'])) {
      absentee.ids.push(...idsOf(events))
      absentee.after = position
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ours[Symbol.asyncDispose]()
    await this.#others.dispose()
    await this.#double[Symbol.asyncDispose]()
    await this.#folder[Symbol.asyncDispose]()
  }
}

/** A follower that was away while the store was scavenged. */
describe('EventStoreDb and a shared store that is scavenged', function () {
  this.timeout(120_000)

  for (const seed of [1, 3])
    it(`gives every follower each remaining event once, however often it was away (seed ${seed})`, async () => {
      await using store = await SharedStore.start(seed)
      const absentees: Absentee[] = Array.from({ length: FOLLOWERS }, () => ({ ids: [], after: 0 }))
      for (let round = 0; round < ROUNDS; round++) {
        await store.step()
        for (const absentee of absentees) if (store.chance.chance(0.15)) await store.visit(absentee)
      }
      const kept = [...store.kept.values()].flat().sort()
      expect(kept.length).to.be.greaterThan(10)
      for (const absentee of absentees) {
        await store.visit(absentee)
        expect(new Set(absentee.ids).size, 'none twice').to.equal(absentee.ids.length)
        expect(absentee.ids.filter((id) => !store.removed.has(id)).sort()).to.deep.equal(kept)
      }
    })
})
