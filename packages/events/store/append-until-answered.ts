import type { Clock } from '#packages/ports/clock.ts'
import {
  type Appended,
  AppendTooLargeError,
  type EventStore,
  type ExpectedRevision,
  InvalidEventError,
  type NewEvent,
  RevisionConflictError,
  type StreamAppend,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import { UnreachableError, UnwritableError } from '#packages/ports/unreachable.ts'
import type { Patience } from './patience.ts'

/**
 * Whether an identical call would fail with this error again. After any other error, the append may have taken effect
 * or not.
 */
export const isAnswer = (error: unknown): boolean =>
  error instanceof RevisionConflictError ||
  error instanceof StreamRemovedError ||
  error instanceof AppendTooLargeError ||
  error instanceof InvalidEventError

/** The wait before the second repetition, milliseconds. The first is not delayed. The wait doubles each time. */
const FIRST_DELAY_MS = 20
const LONGEST_DELAY_MS = 500

/** When to give up a call that is not answered. */
export type GiveUp = {
  /** Milliseconds since 1970. */
  giveUpAt: number
  /** Lets the call last longer while the store answers other callers. */
  patience?: Patience
  /**
   * No caller waits for the answer, so the call is repeated even while the store's disk is full. Other calls fail at
   * once then.
   */
  outlastsFullDisk?: boolean
}

type Ports = { store: EventStore; clock: Clock; ids: Ids }

/**
 * Appends, and repeats the identical call until it is answered. The store recognizes a repeat by the events' ids.
 * @param giveUp when to throw the last error; the events may then be stored or not. A number is `giveUpAt`
 * @throws at once those errors of {@link EventStore.append} that are answers
 */
export function appendUntilAnswered(
  ports: Ports,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
  giveUp: GiveUp | number,
): Promise<Appended> {
  const until = typeof giveUp === 'number' ? { giveUpAt: giveUp } : giveUp
  return untilAnswered(ports, () => ports.store.append(stream, expected, events), until)
}

/**
 * Appends to one stream, and to others in the same call, as `appendUntilAnswered` does.
 * @param others empty if the store cannot append together
 * @returns the end of the append to the first stream
 */
export async function appendAtomically(
  ports: Ports,
  own: StreamAppend,
  others: readonly StreamAppend[],
  giveUp: GiveUp,
): Promise<Appended> {
  const { store } = ports
  const together = store.appendTogether?.bind(store)
  if (together === undefined || others.length === 0)
    return appendUntilAnswered(ports, own.stream, own.expected, own.events, giveUp)
  const [first] = await untilAnswered(ports, () => together([own, ...others]), giveUp)
  return first as Appended
}

/** Records when the store has answered. */
function untilAnswered<T>(ports: Ports, append: () => Promise<T>, giveUp: GiveUp): Promise<T> {
  const noted = async (): Promise<T> => {
    try {
      const appended = await append()
      giveUp.patience?.answered(ports.clock.now())
      return appended
    } catch (error) {
      if (isAnswer(error)) giveUp.patience?.answered(ports.clock.now())
      throw error
    }
  }
  return repeated(ports, noted, isAnswer, giveUp)
}

/** Reads, and repeats the read while the store cannot be reached. @throws any other error at once */
export function readUntilAnswered<T>(ports: Ports, read: () => Promise<T>, giveUp: GiveUp): Promise<T> {
  return repeated(ports, read, (error) => !(error instanceof UnreachableError), giveUp)
}

async function repeated<T>(
  ports: Ports,
  call: () => Promise<T>,
  isFinal: (error: unknown) => boolean,
  giveUp: GiveUp,
): Promise<T> {
  const { clock, ids } = ports
  for (let delayMs = 0; ; delayMs = Math.min(delayMs * 2 || FIRST_DELAY_MS, LONGEST_DELAY_MS)) {
    try {
      return await call()
    } catch (error) {
      if (isFinal(error) || clock.now() >= endOf(giveUp, error)) throw error
      if (delayMs > 0) await clock.sleep(delayMs * (0.5 + ids.random()))
    }
  }
}

function endOf({ giveUpAt, patience, outlastsFullDisk = false }: GiveUp, error: unknown): number {
  if (error instanceof UnwritableError && !outlastsFullDisk) return 0
  return patience?.until(giveUpAt) ?? giveUpAt
}
