import type { CreditsEvent } from '#packages/domain/credits/ledger.ts'
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
    metadata: {
      orgId,
      correlationId: 'test',
      causationId: 'test',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    },
  }))
