import { credits, evolveAll } from '#packages/domain/credits/credits.ts'
import type { DatedEvent, Ledger } from '#packages/domain/credits/ledger.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import type { ExpectedRevision, StoredEvent } from '#packages/ports/event-store.ts'

/** The ledger of one organization, and the revision of the last event in it. */
export type Folded = { ledger: Ledger; revision: ExpectedRevision }

/**
 * Reads a ledger back to its last CreditsStated: the age of a ledger costs nothing.
 * @param newestFirst the events of the ledger
 */
export async function loadStated(newestFirst: AsyncIterable<StoredEvent>): Promise<Folded> {
  const events: DatedEvent[] = []
  let revision: ExpectedRevision = 'no-stream'
  for await (const event of newestFirst) {
    if (!isEventOf(credits, event)) continue
    if (revision === 'no-stream') revision = event.revision
    events.push(event)
    if (event.type === 'CreditsStated') break
  }
  return { ledger: evolveAll(credits.initialState, events.reverse()), revision }
}
