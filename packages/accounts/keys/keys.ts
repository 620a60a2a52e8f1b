import type { Key, NewKey, RevokedKey } from '#contracts/generated/http.ts'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { KeyGrant } from '#packages/domain/key/grant.ts'
import { type KeyChange, type KeyHolder, key } from '#packages/domain/key/key.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { SHOWN_WITHIN_MS, unknownOutcome } from '#packages/events/store/handle-and-show.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import type { KeyDocument } from '#packages/events/views/keys.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, keyIdOf, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { createKey } from './create-key.ts'
import type { KeyRequest } from './key-request.ts'
import type { KeyRing } from './key-ring.ts'
import type { KeyUse } from './key-use.ts'
import { revokeKey } from './revoke-key.ts'
import { createSecret, marksOf, secretHash } from './secret.ts'

export type KeysPorts = { store: EventStore; views: Views; clock: Clock; ids: Ids; ring: KeyRing; use: KeyUse }

export type KeysOptions = {
  /** Active keys of one organization. */
  maxKeys: number
  /** How long a revocation is retried while the store does not answer, milliseconds. */
  giveUpAfterMs: number
}

/**
 * A key that is not revoked. `prefix`, `suffix`: the first and the last characters of its secret. Times are ISO 8601.
 */
export type OwnKey = { id: string; name: string; prefix: string; suffix: string; createdAt: string; grant: KeyGrant }

/** `lastUsedAt`: to the minute; null: never, or unknown. */
export type UsedKey = OwnKey & { lastUsedAt: string | null }

/** `revokedAt`: ISO 8601. */
export type EndedKey = UsedKey & { revokedAt: string }

/** Revoked keys that a list shows. Jobs still name older ones. */
const SHOWN_REVOKED = 20

const byAge = (one: OwnKey, other: OwnKey): number => {
  const placeOf = ({ createdAt, id }: OwnKey): string => `${createdAt} ${id}`
  return placeOf(one) < placeOf(other) ? -1 : 1
}

/** Lists, creates and revokes the keys of an organization. */
export class Keys {
  readonly #ports: KeysPorts
  readonly #options: KeysOptions

  constructor(ports: KeysPorts, options: KeysOptions) {
    this.#ports = ports
    this.#options = options
  }

  /** The keys that are not revoked, including expired ones, oldest first. */
  async list(orgId: string): Promise<Key[]> {
    const keys = await this.all(orgId)
    return keys.map(({ id, name, prefix, createdAt, lastUsedAt, grant }) => {
      return { id, name, prefix, createdAt, lastUsedAt, ...shown(grant) }
    })
  }

  /** The keys that are not revoked, with the marks and limits that pages show. */
  async all(orgId: string): Promise<UsedKey[]> {
    return (await this.#used(await this.#active(orgId))).sort(byAge)
  }

  /** The keys that are not revoked, and the most recently revoked ones, newest first. */
  async withRevoked(orgId: string): Promise<{ active: UsedKey[]; revoked: EndedKey[] }> {
    const found = await this.#ports.views.find<KeyDocument>('keys', 'orgId', orgId)
    const active = found.filter(({ revokedAt }) => revokedAt === null)
    const ended = found.flatMap(({ revokedAt, ...rest }) => (revokedAt === null ? [] : [{ ...rest, revokedAt }]))
    const last = ended.sort((one, other) => (one.revokedAt > other.revokedAt ? -1 : 1)).slice(0, SHOWN_REVOKED)
    const used = await this.#used([...active, ...last])
    return {
      active: used.slice(0, active.length).sort(byAge),
      revoked: last.map(({ revokedAt }, at) => ({ ...(used[active.length + at] as UsedKey), revokedAt })),
    }
  }

  async #used(documents: readonly (Marks & { id: string })[]): Promise<UsedKey[]> {
    const used = await this.#ports.use.lastUsedAt(documents.map(({ id }) => id))
    return documents.map((document) => ({
      ...ownKey(document.id, document),
      lastUsedAt: used.get(document.id) ?? null,
    }))
  }

  /**
   * One key, read from its own events. This works even while the views are unavailable.
   * @throws ServiceError not_found, also once the key is revoked
   */
  async get(orgId: string, keyId: string): Promise<OwnKey> {
    const found = fold(key, await this.#ports.store.read(streams.key(keyId)))
    if (found.status !== 'active' || found.orgId !== orgId) throw new ServiceError('not_found', 'There is no such key.')
    return ownKey(keyId, { ...found, createdAt: isoOf(found.createdAt) })
  }

  /** The names of an organization's keys, including revoked ones, from their own events; by id. */
  async names(orgId: string, keyIds: readonly string[]): Promise<Map<string, { name: string; isRevoked: boolean }>> {
    const found = await Promise.all(
      keyIds.map(async (id) => [id, fold(key, await this.#ports.store.read(streams.key(id)))] as const),
    )
    return new Map(
      found.flatMap(([id, one]) =>
        one.status === 'none' || one.orgId !== orgId
          ? []
          : [[id, { name: one.name, isRevoked: one.status === 'revoked' }] as const],
      ),
    )
  }

  /**
   * Creates a key for the organization in `metadata`. Only this answer contains its secret.
   * @param secret the same one creates one key, however often
   * @throws ServiceError forbidden (too many keys, or the new key would be allowed more than `by`), unavailable,
   *   idempotency_conflict: the key with this secret is revoked
   */
  async create(
    { name, grant }: KeyRequest,
    by: KeyHolder,
    metadata: EventMetadata,
    secret = createSecret(),
  ): Promise<NewKey> {
    const { store, views, clock } = this.#ports
    const { maxKeys } = this.#options
    assertStoreIntact(store)
    const { status } = fold(key, await store.read(streams.key(keyIdOf(secretHash(secret)))))
    if (status === 'revoked')
      throw new ServiceError('idempotency_conflict', 'The key that this form created is revoked.')
    if (status === 'none' && (await this.#active(metadata.orgId)).length >= maxKeys) {
      const details = { reason: 'plan', required: 1, remaining: 0 }
      throw new ServiceError('forbidden', `An organization has at most ${maxKeys} keys.`, { details })
    }
    const { keyId, position } = await createKey(this.#ports, name, metadata, { grant, by, secret }).catch(
      unknownOutcome('the list of keys'),
    )
    await views.waitForApplied(position, SHOWN_WITHIN_MS)
    const made = fold(key, await store.read(streams.key(keyId)))
    const createdAt = isoOf(made.status === 'none' ? clock.now() : made.createdAt)
    const { prefix } = marksOf(secret)
    return { id: keyId, name, prefix, createdAt, lastUsedAt: null, ...shown(grant), key: secret }
  }

  /**
   * Revokes a key of the organization in `metadata`. Once this has returned, the key ring of this process accepts no
   * request with that key.
   * @throws ServiceError not_found, forbidden (neither `by` itself nor created by it), unavailable
   */
  async revoke(keyId: string, by: KeyHolder, metadata: EventMetadata): Promise<RevokedKey> {
    const { views, ring } = this.#ports
    const { giveUpAfterMs } = this.#options
    const revoked = await revokeKey(this.#ports, { keyId, by, metadata, giveUpAfterMs }).catch(
      unknownOutcome('the list of keys'),
    )
    ring.drop(keyId)
    await views.waitForApplied(revoked.position, SHOWN_WITHIN_MS)
    return { id: keyId, name: revoked.key.name, revokedAt: isoOf(revoked.key.revokedAt) }
  }

  /**
   * Changes the name, cap or expiry of a key of the organization in `metadata`. Once this has returned, the key ring
   * of this process knows it. For the dashboard only: no key changes a key.
   * @throws ServiceError not_found, unavailable
   */
  async change(keyId: string, change: KeyChange, metadata: EventMetadata): Promise<void> {
    const { store, clock, views, ring } = this.#ports
    const { giveUpAfterMs } = this.#options
    assertStoreIntact(store)
    await this.get(metadata.orgId, keyId)
    const { position } = await handleCommand(this.#ports, key, {
      stream: streams.key(keyId),
      command: { type: 'change', orgId: metadata.orgId, change },
      metadata,
      giveUpAt: clock.now() + giveUpAfterMs,
    }).catch(unknownOutcome('the list of keys'))
    ring.drop(keyId)
    await views.waitForApplied(position, SHOWN_WITHIN_MS)
  }

  /** At most `maxKeys`, without revoked keys. */
  #active(orgId: string) {
    return this.#ports.views.find<KeyDocument>('keys', 'listedFor', orgId)
  }
}

type Marks = Pick<KeyDocument, 'name' | 'prefix' | 'suffix' | 'createdAt' | keyof KeyGrant>

function ownKey(id: string, { name, prefix, suffix, createdAt, scopes, monthlyCredits, expiresAt }: Marks): OwnKey {
  return { id, name, prefix, suffix, createdAt, grant: { scopes, monthlyCredits, expiresAt } }
}

/** The limits that are set. A key without limits shows none of these fields. */
const shown = ({ scopes, monthlyCredits, expiresAt }: KeyGrant): Pick<Key, keyof KeyGrant> => ({
  ...(scopes !== null && { scopes }),
  ...(monthlyCredits !== null && { monthlyCredits }),
  ...(expiresAt !== null && { expiresAt: isoOf(expiresAt) }),
})
