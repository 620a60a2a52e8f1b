import type { EventMetadata } from '#contracts/generated/messages.ts'
import { type Key, key } from '#packages/domain/key/key.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleCommand } from '#packages/event-sourcing/handle-command.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'

/**
 * Revokes a key of the organization that `metadata` names. A key that is revoked already stays as it is.
 * @param giveUpAfterMs how long the append is tried while the store does not answer, milliseconds
 * @returns the revoked key and the position of KeyRevoked; undefined where the organization has no such key
 * @throws the store's error: it is then unknown whether the key is revoked
 */
export async function revokeKey(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  { keyId, metadata, giveUpAfterMs }: { keyId: string; metadata: EventMetadata; giveUpAfterMs: number },
): Promise<{ key: Extract<Key, { status: 'revoked' }>; position: number } | undefined> {
  const { orgId } = metadata
  const stream = streams.key(keyId)
  const giveUpAt = ports.clock.now() + giveUpAfterMs
  await handleCommand(ports, key, { stream, command: { type: 'revoke', orgId }, metadata, giveUpAt })
  // Only the store knows when the revocation was recorded.
  const events = await ports.store.read(stream)
  const state = fold(key, events)
  if (state.status !== 'revoked' || state.orgId !== orgId) return undefined
  return { key: state, position: events.at(-1)?.position ?? 0 }
}
