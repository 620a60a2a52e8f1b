import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { eventId } from '#packages/ports/ids.ts'

/**
 * Gives decided events their ids and metadata. An id follows from the stream, `step` and the event's data, so the store
 * recognizes a repeat of the same decision.
 * @param step names the logical step that an event records; by default the event's type
 */
export const toAppend = (
  stream: string,
  events: readonly DomainEvent[],
  metadata: EventMetadata,
  step: (event: DomainEvent) => string = ({ type }) => type,
): NewEvent[] => events.map((event) => ({ ...event, id: eventId(stream, step(event), event.data), metadata }))
