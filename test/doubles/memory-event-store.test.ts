import { systemClock } from '#packages/adapters/system/clock.ts'
import { describeSearch } from '#packages/history/questions/search.contract.ts'
import { describeEventStore, type EventStoreFixture } from '#packages/ports/event-store.contract.ts'
import { describeAppendTogether } from '#packages/ports/event-store-together.contract.ts'
import { MemoryEventStore, MemoryEvents } from './memory-event-store.ts'

const makeFixture = async (): Promise<EventStoreFixture> => {
  const events = new MemoryEvents()
  return {
    open: async () => new MemoryEventStore({ clock: systemClock, events }),
    scavenge: async () => events.scavenge(1500),
    async [Symbol.asyncDispose]() {},
  }
}

describeEventStore('MemoryEventStore', makeFixture, [describeAppendTogether])
describeSearch('MemoryEventStore', makeFixture)
