import { randomUUID } from 'node:crypto'
import {
  type EventStore,
  type FeedBatch,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
} from './event-store.ts'

/** The tools for every part of the suite. */
export type EventStoreSuite = {
  readonly store: EventStore
  /** Another store on the same data, closed at the end. */
  open(): Promise<EventStore>
  /** Deletes removed events from the files. */
  scavenge(): Promise<void>
  /** A prefix that no other test and no other run uses. */
  prefix: string
  /** The name of a stream of this test. */
  stream(suffix?: string | number): string
}

export type Grant = NewEvent & { type: 'CreditsGranted' }
export const metadata = {
  orgId: 'org-1',
  correlationId: 'correlation-1',
  causationId: 'causation-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}

export const grant = (credits = 1): Grant => ({
  id: randomUUID(),
  type: 'CreditsGranted',
  data: { credits, reason: 'adjustment', by: 'command' },
  metadata,
})

export const grants = (count: number): Grant[] => Array.from({ length: count }, (_, index) => grant(index + 1))

/** An event with any text. */
export const unavailable = (reason: string): NewEvent => ({
  id: randomUUID(),
  type: 'CaptionsUnavailable',
  data: { reason },
  metadata,
})

/** About this many bytes of data that cannot be compressed. */
export const bulky = (bytes: number): NewEvent =>
  unavailable(Array.from({ length: Math.ceil(bytes / 36) }, () => randomUUID()).join(''))

export const idsOf = (events: readonly { id: string }[]): string[] => events.map((event) => event.id)

/** The error with which a promise rejects; undefined if it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** The fields of the conflict with which an append rejects. @throws Error it does not reject, or with another error */
export async function conflictOf(append: Promise<unknown>): Promise<unknown[]> {
  const error = await failureOf(append)
  if (!(error instanceof RevisionConflictError)) throw new Error(`no conflict but ${String(error)}`)
  return [error.code, error.stream, error.expected, error.actual]
}

export type Following = {
  readonly batches: FeedBatch[]
  readonly events: StoredEvent[]
  /** The last reported status; false before the first batch. */
  readonly caughtUp: boolean
  /** Rejects with the error of the feed. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/** Follows in the background until it is stopped. */
export function following(store: Pick<EventStore, 'follow'>, prefixes: readonly string[], after = 0): Following {
  const end = new AbortController()
  const [batches, events]: [FeedBatch[], StoredEvent[]] = [[], []]
  const ended = (async () => {
    for await (const batch of store.follow({ after, prefixes, signal: end.signal })) {
      batches.push(batch)
      events.push(...batch.events)
    }
  })()
  return {
    batches,
    events,
    get caughtUp() {
      return batches.at(-1)?.caughtUp ?? false
    },
    ended,
    stop() {
      end.abort()
      return ended
    },
  }
}

/** The batches after a position, up to the end of history. */
export async function historyAfter(
  store: EventStore,
  after: number,
  prefixes: readonly string[],
): Promise<FeedBatch[]> {
  const batches: FeedBatch[] = []
  for await (const batch of store.follow({ after, prefixes, signal: new AbortController().signal })) {
    batches.push(batch)
    if (batch.caughtUp) break
  }
  return batches
}
