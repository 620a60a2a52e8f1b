import type { CreditsEvent } from '#packages/domain/credits/ledger.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

export type LedgerStoredEvent = StoredEvent & CreditsEvent

/** Events of a ledger as a store gives them. `at`: their recorded time, milliseconds since 1970. */
export const storedAt = (orgId: string, events: readonly (CreditsEvent & { at: number })[]): LedgerStoredEvent[] =>
  events.map(({ at, ...event }, revision) => ({
    ...event,
    id: `event-${revision}`,
    stream: streams.credits(orgId),
    revision,
    position: revision + 1,
    recordedAt: at,
    metadata: metadataOf(orgId),
  }))
