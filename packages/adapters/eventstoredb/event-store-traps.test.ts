import { BACKWARDS, END, EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { storeFormat } from '#packages/events/format/store-format.ts'
import {
  type FeedBatch,
  InvalidEventError,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  UnknownEventError,
} from '#packages/ports/event-store.ts'
import {
  failureOf,
  following,
  grant,
  grants,
  historyAfter,
  idsOf,
} from '#packages/ports/event-store-samples.contract.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { type EventStoreDouble, startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { until } from '#test/doubles/service/until.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { PositionError } from './calls/failures.ts'
import { positionOf } from './calls/records.ts'
import { type EventStoreDb, openEventStoreDb } from './event-store.ts'

describe('EventStoreDb and the traps of its client', () => {
  const log = fileOfEachTest('log.sqlite')
  let double: EventStoreDouble
  let store: EventStoreDb
  let raw: EventStoreDBClient
  beforeEach(async () => {
    double = await startEventStoreDouble({ path: log.path })
    store = openEventStoreDb(double.url)
    raw = EventStoreDBClient.connectionString(double.url)
  })
  afterEach(async () => {
    await store[Symbol.asyncDispose]()
    await raw.dispose()
    await double[Symbol.asyncDispose]()
  })
  /** Reads all events up to the end. */
  const all = async (after: number, prefixes: string[]): Promise<{ events: StoredEvent[]; batches: FeedBatch[] }> => {
    const batches = await historyAfter(store, after, prefixes)
    return { events: batches.flatMap(({ events }) => events), batches }
  }

  it('makes all appends over one stream of its own, not one call each', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.append(`job-${n}`, 'no-stream', [grant()])))
    await store.append('job-0', 0, [grant()])
    expect(double.calls).to.include({ append: 0, batchAppend: 1 })
  })

  it('refuses followers beyond the subscription limit, because the server would ignore them silently', async () => {
    const followers = Array.from({ length: 50 }, () => following(store, ['job-']))
    expect(await failureOf(all(0, ['job-']))).to.be.instanceOf(RangeError)
    const event = grant()
    await store.append('job-a', 'no-stream', [event])
    await until('all have it', () => followers.every(({ events }) => idsOf(events).includes(event.id)), { everyMs: 5 })
    await Promise.all(followers.map((follower) => follower.stop()))
    await until('their subscriptions are closed', () => double.calls.subscribed === 0, { everyMs: 5 })
    expect(idsOf((await all(0, ['job-'])).events)).to.deep.equal([event.id])
  })

  it('receives only events of its prefixes, in history and live', async () => {
    const others = async (from: number): Promise<void> => {
      for (let n = from; n < from + 5; n++) await store.append(`job-${n}`, 'no-stream', grants(100))
    }
    await store.append('key-a', 'no-stream', grants(1))
    await others(0)
    const follower = following(store, ['key-', 'removal-'])
    await until('it has caught up', () => follower.caughtUp, { everyMs: 5 })
    await others(5)
    await store.append('key-a', 0, grants(1))
    await until('it has the last one', () => follower.events.length === 2, { everyMs: 5 })
    expect(double.calls.delivered).to.equal(2)
    await until('it has caught up with the others too', () => follower.caughtUp, { everyMs: 5 })
    await follower.stop()
  })

  it('receives nothing in a process without followers, which still reads and appends', async () => {
    await store.append('job-a', 'no-stream', grants(2))
    expect(await store.read('job-a', { to: 1 })).to.have.length(2)
    expect(double.calls).to.include({ subscribed: 0, delivered: 0 })
  })

  it('gives a follower no late event of a removed stream', async () => {
    const follower = following(store, ['job-'])
    const { events: seen } = follower
    for (let n = 0; n < 20; n++) {
      await store.append(`job-kept-${n}`, 'no-stream', grants(1))
      // Both are answered before the events arrive.
      const [append, remove] = [store.append(`job-${n}`, 'no-stream', grants(50)), store.remove(`job-${n}`)]
      await Promise.allSettled([append, remove])
      seen.length = 0
      await store.append(`job-after-${n}`, 'no-stream', grants(1))
      await until('the next has come', () => seen.some(({ stream }) => stream === `job-after-${n}`), { everyMs: 1 })
      expect(seen.filter(({ stream }) => stream === `job-${n}`)).to.deep.equal([])
    }
    await follower.stop()
  })

  it('moves a follower of quiet streams past others by checkpoints, which stop while the store is idle', async () => {
    const { position: start } = await store.append('job-a', 'no-stream', [grant()])
    const follower = following(store, ['key-'])
    const { batches } = follower
    await until('it has caught up', () => follower.caughtUp, { everyMs: 5 })
    const { position: early } = await store.append('job-b', 'no-stream', grants(400))
    await store.append('job-c', 'no-stream', grants(400))
    await until('a checkpoint has come', () => (batches.at(-1)?.position ?? 0) > early, { everyMs: 5 })
    await follower.stop()
    const last = batches.at(-1)?.position ?? 0
    expect(batches.map(({ position }) => position)).to.deep.equal([start, last])
    expect((await store.read('job-c')).map(({ position }) => position)).to.include(last)
    expect(batches.every(({ caughtUp, events }) => caughtUp && events.length === 0)).to.equal(true)
    // If the machine stalls for a second, the follower may report that it is behind. So the test is retried.
  }).retries(2)

  it('hides system events and events of other programs', async () => {
    await raw.appendToStream('other-1', { ...json('Else'), data: {} } as never)
    await store.append('job-a', 'no-stream', grants(2))
    await raw.deleteStream('other-1')
    await store.append('job-b', 'no-stream', [grant()])
    await store.remove('job-b')
    expect(
      (await all(0, ['job-', 'key-', 'credits-', 'organization-'])).events.map(({ stream }) => stream),
    ).to.deep.equal(['job-a', 'job-a'])
  })

  it('stops a follower with an error exactly at an event of unknown type', async () => {
    await store.append('job-a', 'no-stream', grants(2))
    await raw.appendToStream('job-b', json('NeverHeardOf') as never)
    const { events, ended } = following(store, ['job-'])
    expect(await failureOf(ended)).to.be.instanceOf(UnknownEventError)
    expect(events).to.have.length(2)
    const later = following(store, ['job-'], events[1]?.position)
    expect(await failureOf(later.ended), 'from the tail').to.be.instanceOf(UnknownEventError)
    expect(later.events).to.deep.equal([])
    expect(await failureOf(store.read('job-b'))).to.be.instanceOf(UnknownEventError)
    expect((await store.read('job-a')).length).to.equal(2)
  })

  it('refuses to follow from a position without an event', async () => {
    await store.append('job-a', 'no-stream', grants(2))
    expect(await failureOf(all(5, ['job-']))).to.be.instanceOf(PositionError)
  })

  it('refuses to follow from beyond the end: the views were made from another store', async () => {
    const { position } = await store.append('job-a', 'no-stream', grants(2))
    await using started = openEventStoreDb(double.url)
    const beyond = started.follow({ after: position + 1, prefixes: ['job-'], signal: new AbortController().signal })
    const error = await failureOf(Array.fromAsync(beyond))
    expect(error).to.be.instanceOf(PositionError)
    expect(started.integrityProblem()).to.equal((error as Error).message)
    expect(String(error)).to.contain(`ends at position ${position}`).and.contain('another store')
    const { batches } = await all(position, ['job-'])
    expect(batches.at(-1)).to.deep.equal({ events: [], position, caughtUp: true })
  })

  it('follows from a position that only another process has seen', async () => {
    await all(0, ['job-'])
    const { nextExpectedRevision, position } = await raw.appendToStream('other-1', json('Else') as never)
    expect(nextExpectedRevision).to.equal(0n)
    expect((await all(Number(position?.commit), ['job-'])).batches.at(-1)).to.include({ caughtUp: true })
  })

  it('refuses data that would hang the client’s append, and stream names outside its prefixes', async () => {
    const none = { ...grant(), data: undefined } as unknown as NewEvent
    expect(await failureOf(store.append('job-a', 'no-stream', [none]))).to.be.instanceOf(InvalidEventError)
    for (const name of ['', 'other-1', '$job-1'])
      expect(await failureOf(store.append(name, 'no-stream', [grant()]))).to.be.instanceOf(RangeError)
    expect(await failureOf(store.remove('other-1'))).to.be.instanceOf(RangeError)
    expect(await failureOf(all(0, ['other-']))).to.be.instanceOf(RangeError)
    expect(double.calls).to.include({ append: 0, batchAppend: 0 })
  })

  it('continues a deleted stream at its next revision', async () => {
    await store.append('job-a', 'no-stream', grants(3))
    await raw.deleteStream('job-a')
    expect(await store.read('job-a')).to.deep.equal([])
    expect(await store.append('job-a', 'no-stream', [grant()])).to.include({ revision: 3 })
    expect((await store.read('job-a')).map(({ revision }) => revision)).to.deep.equal([3])
  })

  it('stores JSON as JSON and compresses long data, with format and version in the metadata', async () => {
    const long: NewEvent = { ...grant(), type: 'CaptionsUnavailable', data: { reason: 'x'.repeat(100_000) } }
    await store.append('job-a', 'no-stream', [grant(7), long])
    const [short, compressed] = await Array.fromAsync(raw.readStream('job-a'))
    expect(short?.event?.data).to.deep.equal({ credits: 7, reason: 'adjustment', by: 'command' })
    expect(short?.event?.metadata).to.include({ format: storeFormat, version: 1, orgId: 'org-1' })
    expect(compressed?.event?.isJson).to.equal(false)
    expect((compressed?.event?.data as unknown as Uint8Array | undefined)?.length).to.be.lessThan(2000)
    expect((await store.read('job-a'))[1]?.data).to.deep.equal(long.data)
  })

  it('refuses events of another format with a sentence that says what to do', async () => {
    for (const [stream, metadata] of [
      ['job-a', { ...json('').metadata, format: storeFormat - 1 }],
      ['job-b', { ...grant().metadata, version: 1 }],
    ] as const) {
      await raw.appendToStream(stream, [jsonEvent({ type: 'CreditsGranted', data: { n: 1 }, metadata })])
      const refused = await store.read(stream).catch(String)
      expect(refused)
        .to.match(
          new RegExp(`it has format (${storeFormat - 1}|unknown), and this program reads format ${storeFormat} alone`),
        )
        .and.contain('set EVENT_STORE_URL to another store')
    }
  })

  it('converts positions to numbers only if they are exact', () => {
    const at = (commit: bigint, prepare = commit) => positionOf({ commit, prepare })
    expect(at(9_007_199_254_740_991n)).to.equal(Number.MAX_SAFE_INTEGER)
    expect(() => at(9_007_199_254_740_992n)).to.throw(PositionError)
    expect(() => at(10n, 9n)).to.throw(PositionError)
  })

  describe('and truncated streams', () => {
    const STREAM = 'credits-org-1'
    const revisions = async () => (await store.read(STREAM)).map(({ revision }) => revision)
    /** Read from the log: a read of the metadata stream gives only the newest. */
    const metadataWritten = async (): Promise<unknown[]> =>
      (await Array.fromAsync(raw.readAll())).flatMap(({ event }) =>
        event?.streamId === `$$${STREAM}` ? [event.data] : [],
      )

    it('keeps the rest of the stream’s metadata, and writes it only to make the stream begin later', async () => {
      await store.append(STREAM, 'no-stream', grants(10))
      const acl = { readRoles: ['$admins', 'video'] }
      await raw.setStreamMetadata(STREAM, { maxCount: 500, cacheControl: 60, acl, owner: 'billing' })
      for (const before of [4, 4, 2, 7]) await store.truncate(STREAM, before)
      const rest = { $maxCount: 500, $cacheControl: 60, $acl: { $r: ['$admins', 'video'] }, owner: 'billing' }
      expect(await metadataWritten()).to.deep.equal([rest, { ...rest, $tb: 4 }, { ...rest, $tb: 7 }])
      expect(await revisions()).to.deep.equal([7, 8, 9])
    })

    it('ends at the last of several concurrent revisions, and ignores changes of other streams', async () => {
      await store.append(STREAM, 'no-stream', grants(10))
      await using other = openEventStoreDb(double.url)
      await Promise.all([
        store.truncate(STREAM, 3),
        other.truncate(STREAM, 8),
        store.truncate(STREAM, 5),
        raw.setStreamMetadata(STREAM, { owner: 'billing' }, { expectedRevision: 'no_stream' }).catch(() => undefined),
      ])
      expect(await revisions()).to.deep.equal([8, 9])
    })

    it('writes nothing to streams that were deleted, never existed, or have another prefix', async () => {
      await store.append(STREAM, 'no-stream', grants(3))
      await raw.deleteStream(STREAM)
      const written = await metadataWritten()
      for (const stream of [STREAM, 'credits-none', 'other-1'])
        expect(await failureOf(store.truncate(stream, 0)), stream).to.be.instanceOf(RangeError)
      expect(await metadataWritten()).to.deep.equal(written)
      expect(await store.isRemoved(STREAM), 'a soft delete is no removal').to.equal(false)
      const [last] = await Array.fromAsync(raw.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
      expect(last?.event?.streamId).to.equal(`$$${STREAM}`)
    })

    it('accepts repeats of truncated events, which conflict once a scavenged server forgot their ids', async () => {
      const [first, second] = [grants(3), grants(4)]
      const answer = await store.append(STREAM, 'no-stream', first)
      await store.append(STREAM, 2, second)
      await store.truncate(STREAM, 5)
      expect(await store.append(STREAM, 'no-stream', first)).to.deep.equal({ revision: 2, position: 0 })
      expect(await store.append(STREAM, 2, second), 'across the cut').to.include({ revision: 6 })
      await scavenge(double.url)
      expect(await store.append(STREAM, 'no-stream', first), 'known').to.deep.equal({ revision: 2, position: 0 })
      const { port } = double
      await double[Symbol.asyncDispose]()
      double = await startEventStoreDouble({ path: log.path, port })
      for (const [expected, events] of [
        ['no-stream', first],
        [2, second],
      ] as const)
        expect(await failureOf(store.append(STREAM, expected, events)))
          .to.be.instanceOf(RevisionConflictError)
          .and.to.include({ actual: 6 })
      expect(answer.revision).to.equal(2)
      expect(await revisions()).to.deep.equal([5, 6])
    })
  })

  it('requires a user and a password with TLS', () => {
    expect(() => openEventStoreDb('esdb://store.example:2113')).to.throw(/user/)
    for (const url of ['esdb://me:p%40ss@store.example:2113', 'esdb+discover://me:pass@one:1,two:2?tls=true'])
      expect(() => openEventStoreDb(url)).to.not.throw()
  })

  it('names an unknown option of the URL without printing the URL, as the client would', () => {
    expect(() => openEventStoreDb('esdb://me:secret@store.example:2113?tsl=false'))
      .to.throw(/not known: tsl$/)
      .and.not.match(/secret/)
    expect(() => openEventStoreDb('esdb://me:sec?ret@store.example:2113')).to.not.throw()
  })
})

const json = (type: string) => ({
  id: crypto.randomUUID(),
  contentType: 'application/json',
  type,
  data: { n: 1 },
  metadata: { ...grant().metadata, format: storeFormat, version: 1 },
})
