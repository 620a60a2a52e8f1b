import type { EventData } from '#contracts/generated/events.ts'
import { type Delivery, delivery, type KnownDelivery } from '#packages/domain/webhook/delivery.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/** One attempt. `at`: milliseconds since 1970. */
export type ShownAttempt = Omit<EventData['DeliveryAttempted'], 'nextInSeconds'> & { at: number }

/** One delivery, as lists show it and its sender resumes it. Instants are milliseconds since 1970. */
export type DeliveryDocument = Pick<KnownDelivery, keyof KnownDelivery> & {
  /** `yes` while it is open. */
  isOpen: 'yes' | 'no'
  /** The newest attempts, oldest first. */
  shownAttempts: readonly ShownAttempt[]
  /** Of its newest event. */
  revision: number
  /** Of its request. */
  traceparent: string
}

/** How many attempts of a delivery are shown: all attempts of one request. */
const SHOWN_ATTEMPTS = 10

function attemptsAfter(event: StoredEvent, before: readonly ShownAttempt[]): readonly ShownAttempt[] {
  if (event.type !== 'DeliveryAttempted') return before
  const { nextInSeconds: _, ...attempt } = event.data
  return [...before, { ...attempt, at: event.recordedAt }].slice(-SHOWN_ATTEMPTS)
}

function after(event: StoredEvent, current: DeliveryDocument | undefined): DeliveryDocument | undefined {
  const state = fold(delivery, [event], (current as Delivery | undefined) ?? delivery.initialState)
  if (state.status === 'none') return undefined
  const { shownAttempts: before = [], traceparent = event.metadata.traceparent } = current ?? {}
  const shownAttempts = attemptsAfter(event, before)
  const isOpen = state.status === 'open' ? 'yes' : 'no'
  return { ...state, isOpen, shownAttempts, revision: event.revision, traceparent }
}

export const deliveries: Projection<DeliveryDocument> = {
  name: 'deliveries',
  prefixes: ['delivery-'],
  collection: {
    findBy: ['isOpen', 'jobId', 'orgId'],
    pages: [{ where: ['webhookId', 'status'], by: 'requestedAt' }],
  },
  changeOf(event) {
    if (!event.stream.startsWith('delivery-')) return undefined
    return { id: event.stream.slice('delivery-'.length), next: (current) => after(event, current) }
  },
  removedWith: goneWith('delivery-', (id) => ({ id })),
}
