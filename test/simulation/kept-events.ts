import { MemoryEvents } from '#test/doubles/memory-event-store.ts'

type EventRecord = NonNullable<MemoryEvents['feed'][number]>

/** The store's disk, and with it every event that was ever on it. */
export class KeptEvents extends MemoryEvents {
  readonly ever: EventRecord[] = []

  override add(record: Omit<EventRecord, 'position'>): EventRecord {
    const placed = super.add(record)
    this.ever.push(placed)
    return placed
  }
}
