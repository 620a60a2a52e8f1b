import { expect } from 'chai'
import { pino } from 'pino'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { ScriptedStore } from '#test/doubles/scripted-store.ts'
import { untold } from '#test/doubles/untold.ts'
import { RequestCounts } from './request-counts.ts'

const HOUR_MS = 60 * 60 * 1000
const log = pino({ level: 'silent' })

/** The recorded counts of an organization: `reads` of metadata, and requests `refused` for their rate. */
async function toldOf(store: MemoryEventStore, orgId: string) {
  const events = await store.read(`requests-${orgId}`)
  return events.flatMap(({ type, data }) => (type === 'RequestsCounted' ? [data] : []))
}

describe('the requests of organizations', () => {
  let clock: ManualClock
  let memory: MemoryEventStore
  let store: ScriptedStore
  let end: AbortController
  const running: Promise<void>[] = []
  beforeEach(() => {
    clock = new ManualClock()
    memory = new MemoryEventStore({ clock })
    store = new ScriptedStore(memory)
    end = new AbortController()
  })
  afterEach(async () => {
    end.abort()
    await Promise.all(running.splice(0))
  })

  /** A process that counts. */
  const begin = (signal = end.signal): RequestCounts => {
    const counts = new RequestCounts({ store, clock, ids: systemIds, log })
    running.push(counts.run(signal))
    return counts
  }
  const reads = async (orgId: string): Promise<number[]> =>
    (await toldOf(memory, orgId)).map((told) => told.reads['/v1/metadata'] ?? 0)

  it('are recorded once an hour, outside of requests, and not in an hour without any', async () => {
    const counts = begin()
    for (let n = 0; n < 3; n++) counts.count('acme', 'reads', '/v1/metadata')
    counts.count('acme', 'refused', 'rate_limited')
    counts.count('globex', 'refused', 'forbidden')
    expect(store.appends).to.deep.equal([])
    await clock.advance(5 * HOUR_MS)
    counts.count('acme', 'reads', '/v1/metadata')
    await clock.advance(2 * HOUR_MS)
    const [first, second, ...more] = await toldOf(memory, 'acme')
    expect(first).to.deep.include({ reads: { '/v1/metadata': 3 }, refused: { rate_limited: 1 } })
    expect(second).to.deep.include({ reads: { '/v1/metadata': 1 }, refused: {} })
    expect(more).to.deep.equal([])
    expect(await toldOf(memory, 'globex')).to.have.length(1)
  })

  it('are each recorded once by several processes, in one event an hour', async () => {
    const processes = [begin(), begin(), begin()]
    for (let hour = 0; hour < 6; hour++) {
      for (const counts of processes) counts.count('acme', 'reads', '/v1/metadata')
      await clock.advance(HOUR_MS)
    }
    // Every process gets its turn, however unlucky it is.
    for (let hour = 0; hour < 200; hour++) await clock.advance(HOUR_MS)
    expect((await reads('acme')).reduce((sum, each) => sum + each, 0)).to.equal(18)
    const hours = (await toldOf(memory, 'acme')).map(({ hour }) => hour)
    expect(hours).to.deep.equal([...new Set(hours)].sort())
  })

  it('are recorded by a process that stops, as far as the hour allows', async () => {
    const stopped = new AbortController()
    begin(stopped.signal).count('acme', 'reads', '/v1/metadata')
    stopped.abort()
    await running[0]
    expect(await reads('acme')).to.deep.equal([1])
    begin(AbortSignal.abort()).count('acme', 'reads', '/v1/metadata')
    await running[1]
    expect(await reads('acme')).to.deep.equal([1])
  })

  it('wait while the store cannot be read, and are not recorded twice if an answer is lost', async () => {
    const counts = begin()
    store.readBackwards = () => {
      throw new Error('away')
    }
    counts.count('acme', 'reads', '/v1/metadata')
    await clock.advance(3 * HOUR_MS)
    Reflect.deleteProperty(store, 'readBackwards')
    store.fault = async (_stream, _events, proceed) => {
      await proceed()
      throw new Error('connection lost')
    }
    await clock.advance(HOUR_MS)
    store.fault = undefined
    await clock.advance(3 * HOUR_MS)
    expect(await reads('acme')).to.deep.equal([1])
  })

  it('of a forgotten organization are no longer recorded', async () => {
    const counts = begin()
    await memory.remove('requests-acme')
    counts.count('acme', 'reads', '/v1/metadata')
    counts.count('globex', 'reads', '/v1/metadata')
    await clock.advance(2 * HOUR_MS)
    expect([await reads('acme'), await reads('globex')]).to.deep.equal([[], [1]])
  })

  it('are the free reads of an ingress, and its refusals of known organizations', async () => {
    const metadata = { ...untold, title: 'film', platform: 'direct', duration: null, isLive: null } as const
    const platforms = sourcesOf({ metadata: async () => ({ metadata, missing: [] }) })
    const ingress = await startIngress({ clock, platforms, store: memory })
    const acme = await ingress.org()
    const video = encodeURIComponent('https://cdn.example.com/film.mp4')
    for (const path of ['/v1/me', '/v1/jobs?limit=0', '/v1/jobs/nobody', '/v1/jobs']) await acme.get(path)
    await ingress.call('GET', `/v1/metadata?url=${video}`, { key: acme.key })
    await ingress.call('GET', `/v1/metadata?url=${video}`)
    await ingress[Symbol.asyncDispose]()
    expect(await toldOf(memory, acme.orgId)).to.deep.equal([
      {
        hour: new Date(clock.now()).toISOString().slice(0, 13),
        reads: { '/v1/metadata': 1 },
        refused: { invalid_request: 1, not_found: 1 },
      },
    ])
  })
})
