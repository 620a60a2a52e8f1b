import type { Clock } from './clock.ts'
import {
  AppendTooLargeError,
  type EventStore,
  type ExpectedRevision,
  InvalidEventError,
  type NewEvent,
  RevisionConflictError,
  StreamRemovedError,
} from './event-store.ts'
import type { Ids } from './ids.ts'

/**
 * Errors that an identical call would get again. After any other error it is unknown whether the append took effect.
 */
export const isAnswer = (error: unknown): boolean =>
  error instanceof RevisionConflictError ||
  error instanceof StreamRemovedError ||
  error instanceof AppendTooLargeError ||
  error instanceof InvalidEventError

const FIRST_DELAY_MS = 20
const LONGEST_DELAY_MS = 500

/**
 * Appends, and repeats the identical call while no answer comes: the store recognizes a repeat by the events' ids.
 * @param giveUpAt milliseconds since 1970. After this instant the last error is thrown; it is then unknown whether the
 * events were stored
 * @throws at once those errors of {@link EventStore.append} that are answers
 */
export async function appendUntilAnswered(
  { store, clock, ids }: { store: EventStore; clock: Clock; ids: Ids },
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
  giveUpAt: number,
): Promise<{ revision: number; position: number }> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
    try {
      return await store.append(stream, expected, events)
    } catch (error) {
      if (isAnswer(error) || clock.now() >= giveUpAt) throw error
      await clock.sleep(delayMs * (0.5 + ids.random()))
    }
  }
}
