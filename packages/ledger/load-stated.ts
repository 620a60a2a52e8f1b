import { type Credits, credits, evolveAll } from '#packages/domain/credits/credits.ts'
import { type DatedEvent, givesNothing } from '#packages/domain/credits/months.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import type { ExpectedRevision, StoredEvent } from '#packages/ports/event-store.ts'

/** The credits of one organization, and the revision of the last event in them. */
export type Folded = Credits & { revision: ExpectedRevision }

/**
 * Reads a ledger back to its last CreditsStated and the events right before it that complete it: the age of a ledger
 * costs nothing.
 * @param newestFirst the events of the ledger
 */
export async function loadStated(newestFirst: AsyncIterable<StoredEvent>): Promise<Folded> {
  const events: DatedEvent[] = []
  let revision: ExpectedRevision = 'no-stream'
  let isStated = false
  for await (const event of newestFirst) {
    if (!isEventOf(credits, event)) continue
    if (isStated && !givesNothing(event)) break
    if (revision === 'no-stream') revision = event.revision
    events.push(event)
    isStated ||= event.type === 'CreditsStated'
  }
  return { ...evolveAll(credits.initialState, events.reverse()), revision }
}
