import type { CreditsCommand, DecidedTogether } from '#packages/domain/credits/credits.ts'
import { RevisionConflictError, StreamRemovedError } from '#packages/ports/event-store.ts'
import type { Waiting } from './account.ts'
import type { Folded } from './load-stated.ts'

/**
 * The most events of commands in one append. A renewal and a statement may be added: appends of more than 100 events
 * end subscriptions of EventStoreDB.
 */
const MAX_EVENTS = 90

/** The most events that a command may lead to. */
const eventsOf = ({ type }: CreditsCommand): number => (type === 'settle' || type === 'change-plan' ? 2 : 1)

/** The decisions, and the ledger on which they were made. */
export type Decided = DecidedTogether & { on: Folded; batch: readonly Waiting[] }

/** Whether every command has led to an event. */
export const changesAll = ({ owners, batch }: Decided): boolean => new Set(owners).size === batch.length

/** How many of the first commands fit into one append. */
export function fittingOf(waiting: readonly Waiting[]): number {
  let events = 0
  let count = 0
  for (const { entry } of waiting) {
    events += eventsOf(entry.command)
    if (events > MAX_EVENTS) break
    count++
  }
  return count
}

/** The commands that should begin a stream which exists or was removed. Because of them the append was refused. */
export function takenOf(batch: readonly Waiting[], refusal: unknown): Waiting[] {
  if (!(refusal instanceof RevisionConflictError || refusal instanceof StreamRemovedError)) return []
  return batch.filter(({ entry }) => entry.begins?.stream === refusal.stream)
}
