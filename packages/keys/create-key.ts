import type { EventMetadata } from '#contracts/generated/messages.ts'
import { create, initialKey } from '#packages/domain/key/key.ts'
import { appendUntilAnswered } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { eventId, type Ids, keyIdOf, streams } from '#packages/ports/ids.ts'
import { createSecret, marksOf, secretHash } from './secret.ts'

const GIVE_UP_AFTER_MS = 5000

/**
 * Makes a key of the organization that `metadata` names.
 * @param name 1 to 100 characters
 * @returns the secret, which nobody can tell again, and the position of KeyCreated
 * @throws what the store throws after 5 seconds: whether the key exists is then not known, and nobody has its secret
 */
export async function createKey(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  name: string,
  metadata: EventMetadata,
): Promise<{ keyId: string; secret: string; position: number }> {
  const secret = createSecret()
  const sha256 = secretHash(secret)
  const keyId = keyIdOf(sha256)
  const stream = streams.key(keyId)
  const data = { orgId: metadata.orgId, name, sha256, ...marksOf(secret) }
  const events = create(initialKey, data).map((event) => ({
    ...event,
    id: eventId(stream, event.type, event.data),
    metadata,
  }))
  const giveUpAt = ports.clock.now() + GIVE_UP_AFTER_MS
  const { position } = await appendUntilAnswered(ports, stream, 'no-stream', events, giveUpAt)
  return { keyId, secret, position }
}
