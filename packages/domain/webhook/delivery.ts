import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { nextAttemptInSeconds } from './attempts.ts'

export type DeliveryEvent = DomainEvent<
  'DeliveryRequested' | 'DeliveryRepeated' | 'DeliveryAttempted' | 'DeliveryEnded'
>

export type DeliveryOutcome = EventData['DeliveryEnded']['outcome']

/** The outcome of one attempt. `retryAfterSeconds`: the delay that the receiver requests; null: none. */
export type AttemptResult = Pick<EventData['DeliveryAttempted'], 'status' | 'failure' | 'milliseconds' | 'answer'> & {
  retryAfterSeconds: number | null
}

export type DeliveryCommand =
  /** `isDropped`: too many are open already. */
  | { type: 'request'; delivery: EventData['DeliveryRequested']; isDropped?: boolean }
  /** Repeats the delivery, once for each request. A delivery that is still open starts over. */
  | { type: 'repeat'; request: string }
  /** `chance`: in [0, 1), for jitter. */
  | { type: 'note'; result: AttemptResult; chance: number }
  | { type: 'drop' }

/** One delivery, folded from its stream. Times are milliseconds since 1970. */
export type Delivery =
  | { status: 'none' }
  | (EventData['DeliveryRequested'] & {
      status: 'open' | DeliveryOutcome
      requestedAt: number
      /** Attempts since it was requested or last repeated. */
      attempts: number
      /** When the next attempt is due, while it is open. */
      dueAt: number
      /** The requests that repeated it, the newest last. */
      requests: readonly string[]
    })

export type KnownDelivery = Exclude<Delivery, { status: 'none' }>

/** A delivery to request. */
export type DeliveryRequest = Omit<EventData['DeliveryRequested'], 'orgId' | 'webhookId'>

/** The possible subjects of a delivery. Each delivery has one of them. */
export const aboutNothing = { jobId: null, batchId: null, balance: null, watch: null } as const

/** Statuses that mean success. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** The status of a receiver that wants no more deliveries. */
export const GONE = 410

/** How many requests are recognized when repeated. Older ones are long over. */
const KNOWN_REQUESTS = 10

/** A delivery is attempted until it succeeds or has had all its attempts. It may be repeated any number of times. */
export const delivery: Decider<Delivery, DeliveryCommand, DeliveryEvent> = {
  eventTypes: ['DeliveryRequested', 'DeliveryRepeated', 'DeliveryAttempted', 'DeliveryEnded'],
  initialState: { status: 'none' },

  evolve(state, event) {
    const at = event.recordedAt
    if (event.type === 'DeliveryRequested')
      return state.status === 'none'
        ? { ...event.data, status: 'open', requestedAt: at, attempts: 0, dueAt: at, requests: [] }
        : state
    if (state.status === 'none') return state
    switch (event.type) {
      case 'DeliveryRepeated': {
        const requests = [...state.requests, event.data.request].slice(-KNOWN_REQUESTS)
        return { ...state, status: 'open', attempts: 0, dueAt: at, requests }
      }
      case 'DeliveryAttempted':
        return { ...state, attempts: event.data.attempt, dueAt: at + (event.data.nextInSeconds ?? 0) * 1000 }
      case 'DeliveryEnded':
        return { ...state, status: event.data.outcome }
    }
  },

  decide(command, state) {
    if (command.type === 'request') return state.status === 'none' ? requested(command) : []
    if (state.status === 'none') return []
    const { webhookId } = state
    if (command.type === 'repeat') {
      const { request } = command
      return state.requests.includes(request) ? [] : [{ type: 'DeliveryRepeated', data: { webhookId, request } }]
    }
    if (state.status !== 'open') return []
    if (command.type === 'drop') return [dropped(webhookId)]
    return noted(state, command)
  },
}

const dropped = (webhookId: string): DeliveryEvent => ({
  type: 'DeliveryEnded',
  data: { webhookId, outcome: 'dropped' },
})

function requested({ delivery, isDropped }: Extract<DeliveryCommand, { type: 'request' }>): DeliveryEvent[] {
  const request: DeliveryEvent = { type: 'DeliveryRequested', data: delivery }
  return isDropped ? [request, dropped(delivery.webhookId)] : [request]
}

function noted(
  { webhookId, attempts }: KnownDelivery,
  { result, chance }: Extract<DeliveryCommand, { type: 'note' }>,
): readonly DeliveryEvent[] {
  const { retryAfterSeconds, ...answer } = result
  const attempt = attempts + 1
  const isDelivered = isSuccess(answer.status)
  const isOver = isDelivered || answer.status === GONE
  const nextInSeconds = isOver ? null : nextAttemptInSeconds(attempt, { retryAfterSeconds, chance })
  const attempted: DeliveryEvent = { type: 'DeliveryAttempted', data: { attempt, ...answer, nextInSeconds } }
  if (nextInSeconds !== null) return [attempted]
  return [attempted, { type: 'DeliveryEnded', data: { webhookId, outcome: isDelivered ? 'delivered' : 'failed' } }]
}
