import type { EventData } from '#contracts/generated/events.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '../event.ts'

export type KeyEvent = DomainEvent<'KeyCreated' | 'KeyRevoked'>

/** One API key, folded from its stream. */
export type Key =
  | { status: 'none' }
  | (EventData['KeyCreated'] & { status: 'active'; createdAt: number })
  | (EventData['KeyCreated'] & { status: 'revoked'; createdAt: number; revokedAt: number })

export const initialKey: Key = { status: 'none' }

/** The key after one more event. */
export function evolve(key: Key, event: Recorded<KeyEvent>): Key {
  if (event.type === 'KeyCreated') {
    return key.status === 'none' ? { ...event.data, status: 'active', createdAt: event.recordedAt } : key
  }
  return key.status === 'active' ? { ...key, status: 'revoked', revokedAt: event.recordedAt } : key
}

/** A key is made once. */
export const create = (key: Key, data: EventData['KeyCreated']): KeyEvent[] =>
  key.status === 'none' ? [{ type: 'KeyCreated', data }] : []

/** Revokes a key of this organization; a revoked one stays as it is. */
export const revoke = (key: Key, orgId: string): KeyEvent[] =>
  key.status === 'active' && key.orgId === orgId ? [{ type: 'KeyRevoked', data: { orgId } }] : []
