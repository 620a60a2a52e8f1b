import type { EventMetadata } from '#contracts/generated/messages.ts'
import { fullGrant, type KeyGrant, key } from '#packages/domain/key/key.ts'
import { handleCommand } from '#packages/event-sourcing/handle-command.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, keyIdOf, streams } from '#packages/ports/ids.ts'
import { createSecret, marksOf, secretHash } from './secret.ts'

const GIVE_UP_AFTER_MS = 5000

/**
 * Makes a key of the organization that `metadata` names.
 * @param name 1 to 100 characters
 * @param grant what the key may do
 * @returns the secret, which is not stored anywhere, and the position of KeyCreated
 * @throws the store's error, after 5 seconds: it is then unknown whether the key exists; nobody has its secret
 */
export async function createKey(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  name: string,
  metadata: EventMetadata,
  grant: KeyGrant = fullGrant,
): Promise<{ keyId: string; secret: string; position: number }> {
  const secret = createSecret()
  const sha256 = secretHash(secret)
  const keyId = keyIdOf(sha256)
  const { position } = await handleCommand(ports, key, {
    stream: streams.key(keyId),
    command: { type: 'create', key: { orgId: metadata.orgId, name, sha256, ...marksOf(secret), ...grant } },
    metadata,
    giveUpAt: ports.clock.now() + GIVE_UP_AFTER_MS,
  })
  return { keyId, secret, position }
}
