/** The answers of a real server to calls that came after the recordings of replay/facts.ts. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BACKWARDS, END, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { expect } from 'chai'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { scavenge } from './scavenge.ts'
import { type EventStoreDouble, startEventStoreDouble } from './server.ts'

describe('the double of EventStoreDB', () => {
  let folder: string
  let double: EventStoreDouble
  let client: EventStoreDBClient
  const start = async () => {
    double = await startEventStoreDouble({ path: join(folder, 'log.sqlite') })
    client = EventStoreDBClient.connectionString(double.url)
  }
  const stop = async () => {
    await client.dispose()
    await double[Symbol.asyncDispose]()
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-store-'))
    await start()
  })
  afterEach(async () => {
    await stop()
    await rm(folder, { recursive: true })
  })
  const event = (n: number) => jsonEvent({ type: 'T', data: { n } })
  const revisionsOf = async (stream: string, options: object = {}): Promise<number[]> => {
    const revisions: number[] = []
    for await (const { event: read } of client.readStream(stream, options)) revisions.push(Number(read?.revision))
    return revisions
  }

  it('gives only the newest event of a metadata stream', async () => {
    await client.appendToStream('s', [event(0), event(1)])
    for (const maxAge of [1000, 2000, 3000]) await client.setStreamMetadata('s', { maxAge })
    expect(await revisionsOf('$$s')).to.deep.equal([2])
    expect(await revisionsOf('$$s', { direction: BACKWARDS, fromRevision: END })).to.deep.equal([2])
    expect(await revisionsOf('$$s', { fromRevision: 1n })).to.deep.equal([2])
    expect(await revisionsOf('s'), 'of its stream all').to.deep.equal([0, 1])
  })

  it('treats the repeat of a truncated append as done after a scavenge, until it is restarted', async () => {
    const [first, rest] = [[event(0), event(1)], [event(2)]]
    await client.appendToStream('s', first, { expectedRevision: NO_STREAM })
    await client.appendToStream('s', rest, { expectedRevision: 1n })
    await client.setStreamMetadata('s', { truncateBefore: 2 })
    await scavenge(double.url)
    const repeat = () => client.appendToStream('s', first, { expectedRevision: NO_STREAM })
    expect(await repeat()).to.deep.include({ success: true, nextExpectedRevision: 1n })
    expect(await failureOf(client.appendToStream('s', [event(9)], { expectedRevision: NO_STREAM }))).to.have.property(
      'type',
      'wrong-expected-version',
    )
    await stop()
    await start()
    expect(await failureOf(repeat())).to.include({ type: 'wrong-expected-version', actualVersion: 2n })
    expect(await revisionsOf('s')).to.deep.equal([2])
  })
})
