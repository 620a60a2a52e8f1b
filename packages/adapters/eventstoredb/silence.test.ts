import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { EventCodec } from '#packages/events/format/codec.ts'
import { following, grant } from '#packages/ports/event-store-samples.contract.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { openStallingLine } from '#test/doubles/eventstoredb/stalling-line.ts'
import { until } from '#test/doubles/service/until.ts'
import { Connection } from './connection.ts'
import { openEventStoreDb } from './event-store.ts'
import { Feed } from './feed.ts'

/** Counts established connections to a port of this machine. */
function connectionsTo(port: number): number {
  const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n')
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return lines.filter((line) => {
    const [, , to, state] = line.trim().split(/\s+/)
    return to === remote && state === '01'
  }).length
}

const times = { deadlineMs: 400, patienceMs: 600 }
const soon = { everyMs: 5 }

/** A node that does not see other nodes' writes accepts keys that were revoked there, for 1 s at most. */
describe('EventStoreDb and a silent server', function () {
  this.timeout(180_000)
  // Retried: these tests measure milliseconds, and a busy machine may stall.
  this.retries(2)
  let double: DoubleProcess
  beforeEach(async () => {
    double = await DoubleProcess.start()
  })
  afterEach(() => double[Symbol.asyncDispose]())

  it('counts a follower as caught up with a frozen server for a second at most', async () => {
    await using store = openEventStoreDb(double.url, times)
    const follower = following(store, ['key-'])
    await until('it has caught up', () => follower.caughtUp, soon)
    double.freeze()
    const frozenAt = performance.now()
    await until('it knows that it may not have', () => !follower.caughtUp, soon)
    // 850 ms, and more on a busy machine. The client by itself notices after 20 s.
    expect(performance.now() - frozenAt, 'ms until it was noticed').to.be.lessThan(8000)
    double.thaw()
    await until('it has caught up again, though nothing was written', () => follower.caughtUp, soon)
    await follower.stop()
  })

  it('asks a silent server less often if told so', async () => {
    await using store = openEventStoreDb(double.url, { ...times, askAfterMs: 1500 })
    const follower = following(store, ['key-'])
    await until('it has caught up', () => follower.caughtUp, soon)
    double.freeze()
    const frozenAt = performance.now()
    await until('it knows that it may not have', () => !follower.caughtUp, soon)
    expect(performance.now() - frozenAt, 'ms until it was noticed').to.be.greaterThan(1000)
    double.thaw()
    await follower.stop()
  })

  it('keeps a follower caught up through its own appends, unless one does not arrive within a second', async () => {
    const { url } = double
    await using connection = new Connection(url, times)
    await using feed = new Feed(connection, { codec: new EventCodec(), page: { events: 100, bytes: 1e6 } })
    await using store = openEventStoreDb(url, times)
    const follower = following(feed, ['key-'])
    await until('it has caught up', () => follower.caughtUp, soon)
    for (let n = 0; n < 50; n++) {
      feed.know('key-a', (await store.append('key-a', n === 0 ? 'no-stream' : n - 1, [grant()])).position)
      feed.know('job-a', Number.MAX_SAFE_INTEGER)
    }
    expect(follower.batches.map(({ caughtUp }) => caughtUp)).to.not.include(false)
    feed.know('key-a', Number.MAX_SAFE_INTEGER)
    await until('one is missing', () => !follower.caughtUp, soon)
    await follower.stop()
  })

  it('replaces a frozen connection long before the client notices', async () => {
    await using line = await openStallingLine(Number(/:(\d+)\?/.exec(double.url)?.[1]))
    await using store = openEventStoreDb(`esdb://127.0.0.1:${line.port}?tls=false`, times)
    const follower = following(store, ['key-'])
    await until('it has caught up', () => follower.caughtUp, soon)
    line.stall()
    const stalledAt = performance.now()
    await until('it knows that it may not have', () => !follower.caughtUp, soon)
    await until('it has caught up again', () => follower.caughtUp, soon)
    await store.append('key-a', 'no-stream', [grant()])
    expect(performance.now() - stalledAt, 'ms until it worked again').to.be.lessThan(15_000)
    await follower.stop()
  })

  it('closes the connections of replaced clients', async () => {
    const port = Number(/:(\d+)\?/.exec(double.url)?.[1])
    let failures = 0
    const onTrouble = (): void => void failures++
    {
      await using store = openEventStoreDb(double.url, { ...times, onTrouble })
      const follower = following(store, ['key-'])
      await until('it has caught up', () => follower.caughtUp, soon)
      double.freeze()
      while (failures <= 8) await store.read('key-a').catch(() => undefined)
      expect(connectionsTo(port)).to.be.greaterThan(1)
      double.thaw()
      await until('one connection is left', () => follower.caughtUp && connectionsTo(port) === 1, soon)
      await follower.stop()
    }
    await until('none is left', () => connectionsTo(port) === 0, soon)
  })
})
