import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

export type WebhookEvent = DomainEvent<
  | 'WebhookCreated'
  | 'WebhookChanged'
  | 'WebhookSwitchedOff'
  | 'WebhookSwitchedOn'
  | 'WebhookReplayAsked'
  | 'WebhookRemoved'
>

/** The events that an endpoint can receive. */
export const webhookEvents = ['job.completed', 'job.failed', 'credits.low', 'watch.found', 'batch.ended'] as const

export type WebhookEventName = (typeof webhookEvents)[number]

/** The reason why a webhook is switched off. */
export type OffReason = EventData['WebhookSwitchedOff']['reason']

export type WebhookCommand =
  | { type: 'create'; webhook: EventData['WebhookCreated'] }
  /** A job names its URL. */
  | { type: 'name'; webhook: EventData['WebhookCreated'] }
  /** No job has named its URL since `onSince`. */
  | { type: 'expire'; orgId: string; onSince: number }
  | ({ type: 'change' } & EventData['WebhookChanged'])
  | { type: 'switch-on'; orgId: string }
  | { type: 'switch-off'; orgId: string; reason: OffReason }
  | { type: 'replay'; orgId: string; sinceSeconds: number }
  | { type: 'remove'; orgId: string }

/** One webhook, folded from its stream. Times are milliseconds since 1970. */
export type Webhook =
  | { status: 'none' }
  | { status: 'removed'; orgId: string }
  | (EventData['WebhookCreated'] & {
      status: 'on' | 'off'
      /** Why it is off; null: it is on. */
      reason: OffReason | null
      createdAt: number
      /** When it was created or last switched on. For a URL: the day on which a job last named it. */
      onSince: number
    })

export type KnownWebhook = Extract<Webhook, { status: 'on' | 'off' }>

export const isKnown = (webhook: Webhook): webhook is KnownWebhook =>
  webhook.status === 'on' || webhook.status === 'off'

/** A webhook belongs to one organization. A removed endpoint never comes back; a URL comes back when a job names it. */
export const webhook: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  eventTypes: [
    'WebhookCreated',
    'WebhookChanged',
    'WebhookSwitchedOff',
    'WebhookSwitchedOn',
    'WebhookReplayAsked',
    'WebhookRemoved',
  ],
  initialState: { status: 'none' },

  evolve(state, event) {
    const at = event.recordedAt
    if (event.type === 'WebhookCreated')
      return isKnown(state) ? state : { ...event.data, status: 'on', reason: null, createdAt: at, onSince: at }
    if (!isKnown(state)) return state
    switch (event.type) {
      case 'WebhookChanged':
        return { ...state, ...event.data }
      case 'WebhookSwitchedOff':
        return { ...state, status: 'off', reason: event.data.reason }
      case 'WebhookSwitchedOn':
        return { ...state, status: 'on', reason: null, onSince: at }
      case 'WebhookReplayAsked':
        return state
      case 'WebhookRemoved':
        return { status: 'removed', orgId: state.orgId }
    }
  },

  decide(command, state) {
    if (command.type === 'create')
      return state.status === 'none' ? [{ type: 'WebhookCreated', data: command.webhook }] : []
    if (command.type === 'name') return named(command.webhook, state)
    const { orgId } = command
    if (!isKnown(state) || state.orgId !== orgId) return []
    switch (command.type) {
      case 'change': {
        const { type: _, ...data } = command
        return [{ type: 'WebhookChanged', data }]
      }
      case 'switch-on':
        return state.status === 'off' ? [{ type: 'WebhookSwitchedOn', data: { orgId } }] : []
      case 'switch-off':
        return state.status === 'on' ? [{ type: 'WebhookSwitchedOff', data: { orgId, reason: command.reason } }] : []
      case 'replay':
        return state.status === 'on'
          ? [{ type: 'WebhookReplayAsked', data: { orgId, sinceSeconds: command.sinceSeconds } }]
          : []
      case 'remove':
        return [{ type: 'WebhookRemoved', data: { orgId } }]
      case 'expire':
        return state.kind === 'url' && state.onSince === command.onSince
          ? [{ type: 'WebhookRemoved', data: { orgId } }]
          : []
    }
  },
}

function named(made: EventData['WebhookCreated'], state: Webhook): readonly WebhookEvent[] {
  const { orgId } = made
  if (state.status !== 'none' && state.orgId !== orgId) return []
  return isKnown(state) ? [{ type: 'WebhookSwitchedOn', data: { orgId } }] : [{ type: 'WebhookCreated', data: made }]
}
