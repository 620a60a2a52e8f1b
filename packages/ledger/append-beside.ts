import {
  appendTogetherUntilAnswered,
  appendUntilAnswered,
  type GiveUp,
  isAnswer,
} from '#packages/event-store/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type Appended,
  type EventStore,
  RevisionConflictError,
  type StreamAppend,
} from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'

/**
 * Appends to a ledger, and in the same call to other streams.
 * @param beside none where the store cannot append together
 * @returns where the append to the ledger ends
 */
export async function appendBeside(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  own: StreamAppend,
  beside: readonly StreamAppend[],
  giveUp: GiveUp,
): Promise<Appended> {
  const { appendTogether } = ports.store
  if (appendTogether === undefined || beside.length === 0)
    return appendUntilAnswered(ports, own.stream, own.expected, own.events, giveUp)
  const [first] = await appendTogetherUntilAnswered(ports, appendTogether, [own, ...beside], giveUp)
  return first as Appended
}

/** Whether an append beside a ledger was refused: that must not keep others from their credits. */
export const isRefusedBeside = (error: unknown, ledger: string): boolean =>
  isAnswer(error) && !(error instanceof RevisionConflictError && error.stream === ledger)
