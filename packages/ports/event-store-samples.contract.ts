import { randomUUID } from 'node:crypto'
import type { EventStore, NewEvent } from './event-store.ts'

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

/** About this many bytes of data that cannot be compressed. */
export const bulky = (bytes: number): NewEvent => ({
  id: randomUUID(),
  type: 'CaptionsUnavailable',
  data: { reason: Array.from({ length: Math.ceil(bytes / 36) }, () => randomUUID()).join('') },
  metadata,
})

export const idsOf = (events: readonly { id: string }[]): string[] => events.map((event) => event.id)

/** The error with which a promise rejects; undefined if it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}
