import type { EventMetadata } from '#contracts/generated/messages.ts'
import { exceeded, fullGrant, type KeyGrant } from '#packages/domain/key/grant.ts'
import { type KeyHolder, key, operator } from '#packages/domain/key/key.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, keyIdOf, streams } from '#packages/ports/ids.ts'
import { createSecret, marksOf, secretHash } from './secret.ts'

const GIVE_UP_AFTER_MS = 5000

/**
 * Creates a key for the organization in `metadata`.
 * @param name 1 to 100 characters
 * @param of the key's permissions, its creator, and its secret. Repeating the same secret creates no second key.
 *   Default: all permissions, an operator, and a fresh secret
 * @returns the secret, which is not stored anywhere, and the position of KeyCreated
 * @throws ServiceError forbidden: the key would be allowed more than its maker
 * @throws the store's error, after 5 seconds: it is then unknown whether the key exists, and its secret is lost
 */
export async function createKey(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  name: string,
  metadata: EventMetadata,
  {
    grant = fullGrant,
    by = operator,
    secret = createSecret(),
  }: { grant?: KeyGrant; by?: KeyHolder; secret?: string } = {},
): Promise<{ keyId: string; secret: string; position: number }> {
  const sha256 = secretHash(secret)
  const keyId = keyIdOf(sha256)
  const { events, position } = await handleCommand(ports, key, {
    stream: streams.key(keyId),
    command: { type: 'create', key: { orgId: metadata.orgId, name, sha256, ...marksOf(secret), ...grant }, by },
    metadata,
    giveUpAt: ports.clock.now() + GIVE_UP_AFTER_MS,
  })
  const wider = exceeded(grant, by.grant)
  if (events.length === 0 && wider.length > 0) throw tooMuch(wider)
  return { keyId, secret, position }
}

const tooMuch = (fields: readonly string[]): ServiceError =>
  new ServiceError(
    'forbidden',
    `A key can create only keys with its own limits or narrower ones: ${fields.join(', ')}.`,
    {
      details: { reason: 'key_limits', exceeded: fields },
    },
  )
