import {
  appendTogetherUntilAnswered,
  appendUntilAnswered,
  type GiveUp,
} from '#packages/event-store/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Appended, EventStore, StreamAppend } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'

/**
 * Appends to a ledger, and to other streams in the same call.
 * @param beside none if the store cannot append together
 * @returns where the append to the ledger ends
 */
export async function appendAtomically(
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
