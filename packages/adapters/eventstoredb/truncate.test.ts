import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { failureOf, grants } from '#packages/ports/event-store-samples.contract.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { type EventStoreDouble, startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { type EventStoreDb, openEventStoreDb } from './event-store.ts'

const STREAM = 'credits-org-1'

describe('EventStoreDb and truncated streams', function () {
  this.timeout(30_000)
  let folder: string
  let double: EventStoreDouble
  let store: EventStoreDb
  let raw: EventStoreDBClient
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'truncated-'))
    double = await startEventStoreDouble({ path: join(folder, 'log.sqlite') })
    store = openEventStoreDb(double.url)
    raw = EventStoreDBClient.connectionString(double.url)
  })
  afterEach(async () => {
    await store[Symbol.asyncDispose]()
    await raw.dispose()
    await double[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const revisions = async () => (await store.read(STREAM)).map(({ revision }) => revision)
  const metadataWritten = async (): Promise<unknown[]> =>
    (await Array.fromAsync(raw.readStream(`$$${STREAM}`))).map(({ event }) => event?.data)

  it('keeps the rest of the stream’s metadata, and writes it only where the stream begins earlier', async () => {
    await store.append(STREAM, 'no-stream', grants(10))
    const acl = { readRoles: ['$admins', 'video'] }
    await raw.setStreamMetadata(STREAM, { maxCount: 500, cacheControl: 60, acl, owner: 'billing' })
    for (const before of [4, 4, 2, 7]) await store.truncate(STREAM, before)
    const rest = { $maxCount: 500, $cacheControl: 60, $acl: { $r: ['$admins', 'video'] }, owner: 'billing' }
    expect(await metadataWritten()).to.deep.equal([rest, { ...rest, $tb: 4 }, { ...rest, $tb: 7 }])
    expect(await revisions()).to.deep.equal([7, 8, 9])
  })

  it('ends at the last of several revisions that come at once, and at no change of others', async () => {
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

  it('writes nothing to streams that were deleted, that never were, or that lie outside of its prefixes', async () => {
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

  it('takes repeats of what was given up as done until a scavenge, and for conflicts after it', async () => {
    const [first, second] = [grants(3), grants(4)]
    const answer = await store.append(STREAM, 'no-stream', first)
    await store.append(STREAM, 2, second)
    await store.truncate(STREAM, 5)
    expect(await store.append(STREAM, 'no-stream', first)).to.deep.equal({ revision: 2, position: 0 })
    expect(await store.append(STREAM, 2, second), 'across the cut').to.include({ revision: 6 })
    await scavenge(double.url)
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
