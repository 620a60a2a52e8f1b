import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '../event.ts'

export type KeyEvent = DomainEvent<'KeyCreated' | 'KeyRevoked'>

export type KeyCommand =
  | { type: 'create'; key: EventData['KeyCreated'] }
  /** Only a key of this organization is revoked. */
  | { type: 'revoke'; orgId: string }

/** What a key may do, and who made it. */
export type KeyGrant = Pick<EventData['KeyCreated'], 'scopes' | 'monthlyCredits' | 'expiresAt' | 'createdBy'>

/** A key that may do everything, for ever, and that no other key has made. */
export const fullGrant: KeyGrant = { scopes: null, monthlyCredits: null, expiresAt: null, createdBy: null }

/** One API key, folded from its stream. Times are milliseconds since 1970. */
export type Key =
  | { status: 'none' }
  | (EventData['KeyCreated'] & { status: 'active'; createdAt: number })
  | (EventData['KeyCreated'] & { status: 'revoked'; createdAt: number; revokedAt: number })

/** A key is created once and revoked once. A revoked key never works again. */
export const key: Decider<Key, KeyCommand, KeyEvent> = {
  eventTypes: ['KeyCreated', 'KeyRevoked'],
  initialState: { status: 'none' },

  evolve(state, event) {
    if (event.type === 'KeyCreated') {
      return state.status === 'none' ? { ...event.data, status: 'active', createdAt: event.recordedAt } : state
    }
    return state.status === 'active' ? { ...state, status: 'revoked', revokedAt: event.recordedAt } : state
  },

  decide(command, state) {
    if (command.type === 'create') return state.status === 'none' ? [{ type: 'KeyCreated', data: command.key }] : []
    const { orgId } = command
    return state.status === 'active' && state.orgId === orgId ? [{ type: 'KeyRevoked', data: { orgId } }] : []
  },
}
