import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { fullGrant } from '#packages/domain/key/grant.ts'
import { metadata } from '#packages/events/store/key-commands.fixture.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { createKey } from './create-key.ts'
import { KeyRing } from './key-ring.ts'

/** A store that reads a stream at once, and answers when the gate opens. By then the answer may be out of date. */
function slowReads(store: EventStore, gate: Promise<void>): EventStore {
  const read: EventStore['read'] = async (stream, options) => {
    const seen = await store.read(stream, options)
    await gate
    return seen
  }
  return new Proxy(store, {
    get: (target, name) => (name === 'read' ? read : Reflect.get(target, name).bind(target)),
  })
}

const log = pino({ level: 'silent' })

describe('the key ring', () => {
  let clock: ManualClock
  let store: MemoryEventStore
  let views: MemoryViews
  let end: AbortController
  const ringOn = (on: EventStore = store) => new KeyRing({ store: on, views, clock, log }, { cachedEntries: 10 })
  const following: Promise<void>[] = []
  const follow = async (ring: KeyRing): Promise<void> => {
    following.push(ring.follow(end.signal))
    await settle()
  }

  beforeEach(async () => {
    clock = new ManualClock()
    store = new MemoryEventStore({ clock })
    views = new MemoryViews({ clock, definition })
    await views.begin()
    end = new AbortController()
  })
  afterEach(async () => {
    end.abort()
    await Promise.all(following.splice(0))
  })

  it('does not cache a key that it read before it followed revocations', async () => {
    const { keyId, secret } = await createKey({ store, clock, ids }, 'laptop', metadata)
    const gate = Promise.withResolvers<void>()
    const ring = ringOn(slowReads(store, gate.promise))

    const early = ring.find(secret)
    await settle()
    const revoked = { type: 'KeyRevoked', data: { orgId: 'acme' }, id: ids.uuid(), metadata } as const
    const { position } = await store.append(streams.key(keyId), 0, [revoked])
    await views.apply([], { position: position, checkpoint: position })
    await follow(ring)
    gate.resolve()

    expect((await early)?.orgId, 'asked before the revocation').to.equal('acme')
    expect(await ring.find(secret), 'asked after it').to.equal(undefined)
  })

  it('finds no key from the instant of its expiry on, even if it is cached', async () => {
    const grant = { ...fullGrant, expiresAt: clock.now() + 1000 }
    const { keyId, secret } = await createKey({ store, clock, ids }, 'laptop', metadata, { grant })
    const ring = ringOn()
    await follow(ring)

    await clock.advance(999)
    expect(await ring.find(secret)).to.deep.equal({ orgId: 'acme', keyId, grant })
    await clock.advance(1)
    expect(await ring.find(secret)).to.equal(undefined)
  })

  it('knows the cap and expiry that another process set for a key', async () => {
    const { keyId, secret } = await createKey({ store, clock, ids }, 'laptop', metadata)
    const ring = ringOn()
    await follow(ring)
    expect((await ring.find(secret))?.grant).to.deep.equal(fullGrant)
    const change = { name: 'laptop', monthlyCredits: 5, expiresAt: clock.now() + 1000 }
    const changed = { type: 'KeyChanged', data: { orgId: 'acme', ...change }, id: ids.uuid(), metadata } as const
    await store.append(streams.key(keyId), 0, [changed])
    await settle()
    expect((await ring.find(secret))?.grant).to.deep.include({ monthlyCredits: 5, expiresAt: change.expiresAt })
    await clock.advance(1000)
    expect(await ring.find(secret)).to.equal(undefined)
  })

  it('accepts no key if its stream was removed before the ring saw its revocation', async () => {
    const { keyId, secret } = await createKey({ store, clock, ids }, 'laptop', metadata)
    const ring = ringOn()
    await follow(ring)
    expect(await ring.find(secret)).to.include({ keyId })

    await store.remove(streams.key(keyId))
    const data = { reason: 'forgotten' as const, streams: [streams.key(keyId)] as [string] }
    await store.append(streams.removal('acme'), 'no-stream', [
      { type: 'StreamsRemoved', data, id: ids.uuid(), metadata },
    ])
    await settle()
    expect(await ring.find(secret)).to.equal(undefined)
  })

  it('reads the key on every request while its feed is silent, even if no error was reported', async () => {
    const { keyId, secret } = await createKey({ store, clock, ids }, 'laptop', metadata)
    const feed = new ScriptedFeed()
    let reads = 0
    const watched = new Proxy<EventStore>(store, {
      get(target, name) {
        if (name === 'follow') return () => feed
        if (name === 'read') reads++
        return Reflect.get(target, name).bind(target)
      },
    })
    const ring = ringOn(watched)
    await follow(ring)
    const readsOf = async (times: number): Promise<number> => {
      const before = reads
      for (let n = 0; n < times; n++) await ring.find(secret)
      return reads - before
    }

    await feed.give({ events: [], position: 1, caughtUp: true })
    expect(await readsOf(3), 'caught up').to.equal(1)
    await feed.give({ events: [], position: 1, caughtUp: false })
    expect(ring.lag.behindMs).to.equal(0)
    expect(await readsOf(3), 'the connection is lost').to.equal(3)
    const revoked = { type: 'KeyRevoked', data: { orgId: 'acme' }, id: ids.uuid(), metadata } as const
    await store.append(streams.key(keyId), 0, [revoked])
    expect(await ring.find(secret), 'revoked by another node meanwhile').to.equal(undefined)
    await feed.give({ events: await store.read(streams.key(keyId)), position: 2, caughtUp: true })
    expect(await ring.find(secret), 'and after it').to.equal(undefined)
    feed.end()
  })
})

/** A feed with batches that the test pushes. */
class ScriptedFeed implements AsyncIterable<FeedBatch> {
  #next = Promise.withResolvers<FeedBatch | undefined>()

  async give(batch: FeedBatch): Promise<void> {
    await settle()
    this.#next.resolve(batch)
    await settle()
  }

  end(): void {
    this.#next.resolve(undefined)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<FeedBatch> {
    for (;;) {
      const batch = await this.#next.promise
      this.#next = Promise.withResolvers()
      if (batch === undefined) return
      yield batch
    }
  }
}
