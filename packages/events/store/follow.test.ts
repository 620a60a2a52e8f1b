import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { FeedLag } from './feed-lag.ts'
import { type Follower, follow } from './follow.ts'
import { metadata } from './key-commands.fixture.ts'

describe('following the feed', () => {
  let clock: ManualClock
  let store: MemoryEventStore
  let stop: AbortController
  /** Everything that the follower has seen and done, in order. */
  let log: string[]
  let follower: Follower
  let running: Promise<void>

  const write = async (name: string): Promise<void> => {
    const event = { type: 'OrganizationRegistered', data: { name }, id: ids.uuid(), metadata } as const
    await store.append(`organization-${name}`, 'no-stream', [event])
  }
  const start = (changes: Partial<Follower> = {}): void => {
    follower = { ...follower, ...changes }
    running = follow({ store, clock }, follower, stop.signal)
  }
  const end = async (): Promise<void> => {
    stop.abort()
    await running
  }

  beforeEach(() => {
    clock = new ManualClock()
    store = new MemoryEventStore({ clock })
    stop = new AbortController()
    log = []
    follower = {
      prefixes: ['organization-'],
      lag: new FeedLag(clock),
      async begin() {
        log.push('begin')
        return 0
      },
      take({ events }) {
        for (const { stream } of events) log.push(stream.slice('organization-'.length))
      },
      failed(error) {
        log.push(String(error))
        return 1000
      },
    }
  })
  afterEach(end)

  it('takes history first, then what is appended, until it is stopped', async () => {
    await write('one')
    start()
    await settle()
    await write('two')
    await settle()
    expect(log).to.deep.equal(['begin', 'one', 'two'])
  })

  it('begins at the position that the follower returns', async () => {
    await write('one')
    const [{ position = 0 } = {}] = await store.read('organization-one')
    await write('two')
    start({ begin: async () => position })
    await settle()
    expect(log).to.deep.equal(['two'])
  })

  it('has caught up once it has handled a batch that reaches the end of the feed', async () => {
    const gate = Promise.withResolvers<void>()
    start({ take: () => gate.promise })
    await settle()
    expect(follower.lag.behindMs).to.equal(Number.POSITIVE_INFINITY)
    gate.resolve()
    await settle()
    expect(follower.lag.behindMs).to.equal(undefined)
  })

  it('begins again after the delay that the follower returns, and is behind until it has caught up again', async () => {
    await write('one')
    const { take } = follower
    let failures = 0
    start({
      take(batch, signal) {
        if (failures++ === 0) throw new Error('not now')
        return take(batch, signal)
      },
    })
    await settle()
    expect(log).to.deep.equal(['begin', 'Error: not now'])
    await clock.advance(999)
    expect(follower.lag.behindMs).to.be.greaterThan(0)
    expect(log).to.have.length(2)
    await clock.advance(1)
    expect(log.slice(2)).to.deep.equal(['begin', 'one'])
    expect(follower.lag.behindMs).to.equal(undefined)
  })

  it('ends with the error that `failed` throws', async () => {
    start({
      begin: () => Promise.reject(new Error('the feed cannot be read')),
      failed(error) {
        throw error
      },
    })
    expect(await running.catch((error: Error) => error.message)).to.equal('the feed cannot be read')
    running = Promise.resolve()
  })

  it('counts a feed that ends by itself as a failure', async () => {
    store.follow = async function* () {}
    start()
    await settle()
    expect(log).to.deep.equal(['begin', 'Error: the feed has ended'])
  })

  it('begins again if the watch fails while no events arrive', async () => {
    let watches = 0
    const watch = async (signal: AbortSignal): Promise<void> => {
      watches++
      await clock.sleep(watches === 1 ? 5000 : 1e9, signal)
      throw new Error('the views are lost')
    }
    start({ watch })
    await clock.advance(5000)
    expect(log).to.deep.equal(['begin', 'Error: the views are lost'])
    await clock.advance(1000)
    await write('one')
    await settle()
    expect(log.slice(2)).to.deep.equal(['begin', 'one'])
    expect(watches).to.equal(2)
  })

  it('does not report errors that stopping it causes', async () => {
    start({ take: (_, signal) => clock.sleep(1000, signal) })
    await settle()
    await end()
    expect(log).to.deep.equal(['begin'])
  })
})
