import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { exceeded, fullGrant, hasAllScopes, type KeyGrant } from './grant.ts'

export type KeyEvent = DomainEvent<'KeyCreated' | 'KeyChanged' | 'KeyRevoked'>

/** The sender of a command: a key, or an operator, who has no key (null) and may do everything. */
export type KeyHolder = { keyId: string | null; grant: KeyGrant }

export const operator: KeyHolder = { keyId: null, grant: fullGrant }

/** The changeable fields of a key. Its permissions never change. */
export type KeyChange = Omit<EventData['KeyChanged'], 'orgId'>

export type KeyCommand =
  /** Refused if the new key would be allowed more than the key that creates it. */
  | { type: 'create'; key: Omit<EventData['KeyCreated'], 'createdBy'>; by: KeyHolder }
  /** Sent by a member in the dashboard: no key changes a key. Changes only an active key of this organization. */
  | { type: 'change'; orgId: string; change: KeyChange }
  /** Revokes only a key of this organization. `keyId`: the key to revoke. */
  | { type: 'revoke'; orgId: string; keyId: string; by: KeyHolder }

/** One API key, folded from its stream. Times are milliseconds since 1970. */
export type Key =
  | { status: 'none' }
  | (EventData['KeyCreated'] & { status: 'active'; createdAt: number })
  | (EventData['KeyCreated'] & { status: 'revoked'; createdAt: number; revokedAt: number })

/** A key without all scopes may revoke only itself and the keys that it created. */
const mayRevoke = ({ keyId, grant }: KeyHolder, revoked: { keyId: string; createdBy: string | null }): boolean =>
  hasAllScopes(grant) || keyId === revoked.keyId || (keyId !== null && keyId === revoked.createdBy)

const isChanged = (state: KeyChange, change: KeyChange): boolean =>
  state.name !== change.name || state.monthlyCredits !== change.monthlyCredits || state.expiresAt !== change.expiresAt

/** A key is created once, may be changed until it is revoked, and is revoked once. A revoked key never works again. */
export const key: Decider<Key, KeyCommand, KeyEvent> = {
  eventTypes: ['KeyCreated', 'KeyChanged', 'KeyRevoked'],
  initialState: { status: 'none' },

  evolve(state, event) {
    if (event.type === 'KeyCreated') {
      return state.status === 'none' ? { ...event.data, status: 'active', createdAt: event.recordedAt } : state
    }
    if (event.type === 'KeyChanged') return state.status === 'active' ? { ...state, ...event.data } : state
    return state.status === 'active' ? { ...state, status: 'revoked', revokedAt: event.recordedAt } : state
  },

  decide(command, state) {
    if (command.type === 'change') {
      const { orgId, change } = command
      const isOurs = state.status === 'active' && state.orgId === orgId
      return isOurs && isChanged(state, change) ? [{ type: 'KeyChanged', data: { orgId, ...change } }] : []
    }
    const { by } = command
    if (command.type === 'create') {
      if (state.status !== 'none' || exceeded(command.key, by.grant).length > 0) return []
      return [{ type: 'KeyCreated', data: { ...command.key, createdBy: by.keyId } }]
    }
    const { orgId, keyId } = command
    if (state.status !== 'active' || state.orgId !== orgId) return []
    return mayRevoke(by, { keyId, createdBy: state.createdBy }) ? [{ type: 'KeyRevoked', data: { orgId } }] : []
  },
}
