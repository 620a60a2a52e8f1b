import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { EventStore } from './event-store.ts'
import { describeAppend } from './event-store-append.contract.ts'
import { describeFollow } from './event-store-follow.contract.ts'
import { describeRemoval } from './event-store-remove.contract.ts'
import type { EventStoreSuite } from './event-store-samples.contract.ts'
import { describeScavenges } from './event-store-scavenge.contract.ts'
import { describeTruncation } from './event-store-truncate.contract.ts'

/** One set of data with as many stores as a test opens. A second store stands for a restart or another process. */
export type EventStoreFixture = AsyncDisposable & {
  open(): Promise<EventStore>
  /** Deletes removed events from the store's files. Missing if removal itself does so. */
  scavenge?(): Promise<void>
}

/**
 * Checks the promises of EventStore. The store may hold other data: every test has its own streams.
 * @param optional tests of promises that other stores may not make
 */
export function describeEventStore(
  name: string,
  makeFixture: () => Promise<EventStoreFixture>,
  optional: readonly ((suite: EventStoreSuite) => void)[] = [],
): void {
  describe(`${name} keeps the promises of EventStore`, function () {
    this.timeout(60_000)
    let fixture: EventStoreFixture
    let store: EventStore
    const opened: EventStore[] = []
    const suite: EventStoreSuite = {
      get store() {
        return store
      },
      open: async () => {
        const another = await fixture.open()
        opened.push(another)
        return another
      },
      scavenge: async () => fixture.scavenge?.(),
      prefix: '',
      stream: (suffix = 'a') => `${suite.prefix}${suffix}`,
    }

    before(async () => {
      fixture = await makeFixture()
      store = await suite.open()
    })
    after(async () => {
      for (const each of opened) await each[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })
    beforeEach(() => {
      suite.prefix = `job-${randomUUID()}-`
    })

    it('has its own id, the same in every process, even if several ask for it first', async () => {
      const others = await Promise.all([suite.open(), suite.open()])
      const ids = await Promise.all([store, ...others].map((each) => each.id()))
      expect(new Set(ids).size).to.equal(1)
      expect(ids[0]).to.match(/^[\da-f-]{32,36}$/)
    })

    describeAppend(suite)
    describeFollow(suite)
    describeScavenges(suite)
    describeRemoval(suite)
    describeTruncation(suite)
    for (const describeOptional of optional) describeOptional(suite)
  })
}
