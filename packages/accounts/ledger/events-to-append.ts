import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { DecidedTogether } from '#packages/domain/credits/credits.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { eventId, type Ids } from '#packages/ports/ids.ts'

/**
 * Decided events with their ids, each with the metadata of its command.
 * @param ofCommands the metadata of each command
 */
export function eventsToAppend(
  stream: string,
  { events, owners }: Pick<DecidedTogether, 'events' | 'owners'>,
  ofCommands: readonly EventMetadata[],
  ids: Ids,
): NewEvent[] {
  return events.map((event, index): NewEvent => {
    const metadata = ofCommands[owners[index] ?? 0] as EventMetadata
    // Two adjustments of the same size are two grants, even if two processes decide them on the same ledger.
    const isAdjustment = event.type === 'CreditsGranted' && event.data.reason === 'adjustment'
    // Two expiring refunds of the same size are two events.
    const step = event.type === 'CreditsRenewed' ? `${event.type}/${metadata.correlationId}/${index}` : event.type
    const id = isAdjustment ? ids.uuid() : eventId(stream, step, event.data)
    return { ...event, id, metadata }
  })
}
