import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { failureOf, following, grant, grants, idsOf } from '#packages/ports/event-store-samples.contract.ts'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { until } from '#test/doubles/service/until.ts'
import { type EventStoreDb, openEventStoreDb } from './event-store.ts'

const soon = { everyMs: 5 }

/** The server itself does not report that it came back with fewer events. */
describe('EventStoreDb and a store that was restored from an older copy', function () {
  this.timeout(120_000)
  let double: DoubleProcess
  let store: EventStoreDb
  beforeEach(async () => {
    double = await DoubleProcess.start()
    store = openEventStoreDb(double.url, { deadlineMs: 5000, patienceMs: 6000 })
  })
  afterEach(async () => {
    await store[Symbol.asyncDispose]()
    await double[Symbol.asyncDispose]()
  })
  const problem = () => until('it is noticed', () => store.integrityProblem(), soon)
  const asAnotherProgram = async (use: (client: EventStoreDBClient) => Promise<unknown>): Promise<void> => {
    const client = EventStoreDBClient.connectionString(double.url)
    await use(client)
    await client.dispose()
  }

  it('reports it, reads and writes nothing, and continues when the original comes back', async () => {
    const first = grants(2)
    await store.append('job-a', 'no-stream', first)
    const older = double.copy()
    const follower = following(store, ['job-'])
    const second = grants(2)
    const { position } = await store.append('job-a', 1, second)
    await until('it has caught up', () => follower.caughtUp && follower.events.length === 4, soon)
    const original = double.copy()

    await double.putBack(older)
    const sentence = await problem()
    expect(sentence)
      .to.match(/ends at position \d+/)
      .and.contain(`seen up to position ${position}`)
    expect(sentence).to.contain('bring it back, or stop all services and give them an empty database')
    for (const [stream, expected] of [
      ['job-b', 'no-stream'],
      ['job-a', 3],
    ] as const)
      expect(await failureOf(store.append(stream, expected, [grant()])))
        .to.be.instanceOf(RefusedError)
        .with.property('message', sentence)
    for (const call of [
      () => store.read('job-a'),
      () => Array.fromAsync(store.readBackwards('job-a')),
      () => store.remove('job-a'),
    ])
      expect(await failureOf(call())).to.be.instanceOf(RefusedError)
    expect(follower.caughtUp).to.equal(false)
    expect(await Promise.race([follower.ended, 'it goes on'])).to.equal('it goes on')
    await asAnotherProgram(async (client) => {
      expect(await Array.fromAsync(client.readStream('job-a'))).to.have.length(2)
      expect(await failureOf(Array.fromAsync(client.readStream('job-b'))), 'nothing was written').to.be.an('error')
    })

    await double.putBack(original)
    await until('it is trusted again', () => store.integrityProblem() === undefined, soon)
    const third = grants(2)
    await store.append('job-a', 3, third)
    await until('the follower goes on', () => follower.events.length === 6, soon)
    expect(idsOf(follower.events)).to.deep.equal(idsOf([...first, ...second, ...third]))
    await until('it has caught up again', () => follower.caughtUp, soon)
    await follower.stop()
  })

  it('reports an emptied store', async () => {
    const follower = following(store, ['job-'])
    await store.append('job-a', 'no-stream', grants(2))
    await until('it has caught up', () => follower.caughtUp && follower.events.length === 2, soon)
    await double.putBack()
    expect(await problem()).to.contain('another store, or an older copy, is in its place')
    await follower.stop()
  })

  it('reports it even if others wrote to the store and it ends beyond what was seen', async () => {
    const older = double.copy()
    const follower = following(store, ['job-'])
    const { position } = await store.append('job-a', 'no-stream', grants(2))
    await until('it has caught up', () => follower.caughtUp && follower.events.length === 2, soon)
    // The store grows before any of our processes can see it.
    double.freeze()
    await double.kill()
    const growing = double.putBack(older)
    await growing
    await asAnotherProgram((client) =>
      client.appendToStream(
        'other-1',
        Array.from({ length: 20 }, (_, n) => jsonEvent({ type: 'Else', data: { n } })),
      ),
    )
    expect(await problem()).to.match(/^the event store (ends|holds something else) at position/)
    expect(await failureOf(store.append('job-b', 'no-stream', [grant()]))).to.be.instanceOf(RefusedError)
    await until(
      'also once it ends beyond',
      () => store.integrityProblem()?.includes(`holds something else at position ${position}`),
      soon,
    )
    await follower.stop()
  })

  it('writes nothing to it without followers either: after a lost connection it is verified first', async () => {
    await store.append('job-a', 'no-stream', grants(2))
    const older = double.copy()
    const { revision } = await store.append('job-a', 1, grants(2))
    await double.putBack(older)
    const failures = [
      await failureOf(store.append('job-a', revision, [grant()])),
      await failureOf(store.append('job-c', 'no-stream', [grant()])),
    ]
    for (const failure of failures) expect(failure).to.be.instanceOf(RefusedError)
    await asAnotherProgram(async (client) => {
      expect(await failureOf(Array.fromAsync(client.readStream('job-c')))).to.be.an('error')
    })
  })

  it('does not mistake a scavenge, or removed streams, for an older copy', async () => {
    const follower = following(store, ['job-'])
    await store.append('job-a', 'no-stream', grants(2))
    await store.append('job-b', 'no-stream', grants(2))
    await until('it has caught up', () => follower.caughtUp && follower.events.length === 4, soon)
    await asAnotherProgram(async (client) => {
      await client.tombstoneStream('job-b')
      await client.setStreamMetadata('job-a', { truncateBefore: 2 })
    })
    await scavenge(double.url)
    await double.kill()
    await double.start()
    const next = grant()
    await until(
      'it takes appends',
      () =>
        store.append('job-a', 1, [next]).then(
          () => true,
          () => false,
        ),
      soon,
    )
    await until('the follower goes on', () => follower.events.at(-1)?.id === next.id, soon)
    expect(store.integrityProblem()).to.equal(undefined)
    await follower.stop()
  })
})
