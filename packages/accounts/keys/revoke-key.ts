import type { EventMetadata } from '#contracts/generated/messages.ts'
import { type Key, type KeyHolder, key, operator } from '#packages/domain/key/key.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'

type Revocation = {
  keyId: string
  /** The sender of the command. Default: an operator. */
  by?: KeyHolder
  metadata: EventMetadata
  /** How long the append is retried while the store does not answer, milliseconds. */
  giveUpAfterMs: number
}

/**
 * Revokes a key of the organization in `metadata`. A key that is already revoked stays unchanged.
 * @returns the revoked key and the position of KeyRevoked
 * @throws ServiceError not_found, forbidden
 * @throws the store's error: it is then unknown whether the key is revoked
 */
export async function revokeKey(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  { keyId, by = operator, metadata, giveUpAfterMs }: Revocation,
): Promise<{ key: Extract<Key, { status: 'revoked' }>; position: number }> {
  const { orgId } = metadata
  const stream = streams.key(keyId)
  const giveUpAt = ports.clock.now() + giveUpAfterMs
  await handleCommand(ports, key, { stream, command: { type: 'revoke', orgId, keyId, by }, metadata, giveUpAt })
  // Only the store knows when the revocation was recorded.
  const events = await ports.store.read(stream)
  const state = fold(key, events)
  if (state.status === 'none' || state.orgId !== orgId) throw new ServiceError('not_found', 'There is no such key.')
  if (state.status === 'active') throw notItsOwn()
  return { key: state, position: events.at(-1)?.position ?? 0 }
}

const notItsOwn = (): ServiceError =>
  new ServiceError('forbidden', 'A key without all scopes can revoke only itself and the keys that it created.', {
    details: { reason: 'other_key' },
  })
