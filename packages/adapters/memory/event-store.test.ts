import { describeEventStore } from '#packages/ports/event-store.contract.ts'
import { systemClock } from '../system/clock.ts'
import { MemoryEventStore, MemoryEvents } from './event-store.ts'

describeEventStore('MemoryEventStore', async () => {
  const events = new MemoryEvents()
  return {
    open: async () => new MemoryEventStore({ clock: systemClock, events }),
    scavenge: async () => events.scavenge(1500),
    async [Symbol.asyncDispose]() {},
  }
})
