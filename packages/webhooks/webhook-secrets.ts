import { randomBytes } from 'node:crypto'
import type { Clock } from '#packages/ports/clock.ts'
import type { SealedEntries } from '#packages/ports/sealed-entries.ts'
import type { Sealer } from '#packages/secrets/sealer.ts'

export type WebhookSecretsPorts = { sealed: SealedEntries; sealer: Sealer; clock: Clock }

/** A secret, and the one that it has replaced, which signs as well until an instant (milliseconds since 1970). */
type Secrets = { secret: string; previous: { secret: string; until: number } | null }

/** What deliveries to one webhook need. The newest secret comes first. */
export type Address = { url: string; secrets: readonly string[] }

/** Random bytes of a secret (Standard Webhooks: 24 to 64). */
const SECRET_BYTES = 32

/** How long a replaced secret signs beside the new one, milliseconds. */
const BOTH_FOR_MS = 24 * 60 * 60 * 1000

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** The id of the entry that has an organization's default secret. */
const defaultIdOf = (orgId: string): string => `default-secret-${orgId}`

/**
 * The URLs and secrets of webhooks, sealed by SECRETS_KEY beside the accounts. A webhook without a secret of its own is
 * signed with its organization's default secret.
 */
export class WebhookSecrets {
  readonly #ports: WebhookSecretsPorts

  constructor(ports: WebhookSecretsPorts) {
    this.#ports = ports
  }

  /** @returns undefined where there is none, or it was sealed with another key */
  async urlOf(webhookId: string): Promise<string | undefined> {
    return (await this.#get<{ url: string }>(webhookId))?.url
  }

  /** Where to deliver to a webhook, and what to sign with; undefined where one of them is not there. */
  async addressOf(webhookId: string, orgId: string): Promise<Address | undefined> {
    const own = await this.#get<{ url: string; own: Secrets | null }>(webhookId)
    if (own === undefined) return undefined
    const signing = own.own ?? (await this.#get<Secrets>(defaultIdOf(orgId)))
    if (signing === undefined) return undefined
    const { secret, previous } = signing
    const isBoth = previous !== null && this.#ports.clock.now() < previous.until
    return { url: own.url, secrets: isBoth ? [secret, previous.secret] : [secret] }
  }

  /** Stores a URL that is signed with the organization's default secret. */
  async putUrl(webhookId: string, orgId: string, url: string): Promise<void> {
    await this.#put(webhookId, orgId, { url, own: null })
  }

  /** Stores the URL of a new endpoint. @returns its secret */
  async create(webhookId: string, orgId: string, url: string): Promise<string> {
    const secret = newSecret()
    await this.#put(webhookId, orgId, { url, own: { secret, previous: null } })
    return secret
  }

  /** Changes the URL of an endpoint, whose secret stays. */
  async changeUrl(webhookId: string, orgId: string, url: string): Promise<void> {
    const { own = null } = (await this.#get<{ own: Secrets | null }>(webhookId)) ?? {}
    await this.#put(webhookId, orgId, { url, own })
  }

  /** @returns the new secret; undefined where the webhook has no URL, or none that can be read */
  async rotate(webhookId: string, orgId: string): Promise<string | undefined> {
    const held = await this.#get<{ url: string; own: Secrets | null }>(webhookId)
    if (held === undefined) return undefined
    const own = this.#renewed(held.own)
    await this.#put(webhookId, orgId, { url: held.url, own })
    return own.secret
  }

  async hasDefault(orgId: string): Promise<boolean> {
    return (await this.#get(defaultIdOf(orgId))) !== undefined
  }

  /** Makes the organization's default secret, or replaces it. @returns it */
  async rotateDefault(orgId: string): Promise<string> {
    const secrets = this.#renewed((await this.#get<Secrets>(defaultIdOf(orgId))) ?? null)
    await this.#put(defaultIdOf(orgId), orgId, secrets)
    return secrets.secret
  }

  async remove(webhookId: string): Promise<void> {
    await this.#ports.sealed.removeSealed(webhookId)
  }

  #renewed(before: Secrets | null): Secrets {
    const until = this.#ports.clock.now() + BOTH_FOR_MS
    return { secret: newSecret(), previous: before && { secret: before.secret, until } }
  }

  async #get<T>(id: string): Promise<T | undefined> {
    const entry = await this.#ports.sealed.sealed(id)
    const bytes = entry && this.#ports.sealer.unseal('webhook', entry.sealed)
    return bytes && JSON.parse(bytes.toString())
  }

  async #put(id: string, orgId: string, value: unknown): Promise<void> {
    const sealed = this.#ports.sealer.seal('webhook', Buffer.from(JSON.stringify(value)))
    await this.#ports.sealed.putSealed({ id, orgId, sealed })
  }
}
