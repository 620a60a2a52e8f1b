import { randomBytes } from 'node:crypto'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { SealedEntries, SealedEntry } from '#packages/ports/sealed-entries.ts'

export type WebhookSecretsPorts = { sealed: SealedEntries; sealer: Sealer; clock: Clock }

/** A secret and those that it replaced, which also sign until an instant (milliseconds since 1970). */
type Secrets = { secret: string; previous: readonly { secret: string; until: number }[] }

/** The URL of a webhook and its secrets. `own`: null if the organization's default secret signs. */
type Target = { url: string; own: Secrets | null }

/** The URL and secrets for deliveries to one webhook. The newest secret comes first. */
export type Address = { url: string; secrets: readonly string[] }

/** Random bytes of a secret (Standard Webhooks: 24 to 64). */
const SECRET_BYTES = 32

/** How long a replaced secret signs beside the new one, milliseconds. */
const BOTH_FOR_MS = 24 * 60 * 60 * 1000

/** Most replaced secrets that sign at once: each adds a signature to a header of every delivery. */
const MOST_PREVIOUS = 4

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** The id of the entry with an organization's default secret. */
const defaultIdOf = (orgId: string): string => `default-secret-${orgId}`

/**
 * The URLs and secrets of webhooks, sealed with SECRETS_KEY and stored with the accounts. A webhook without its own
 * secret is signed with its organization's default secret.
 */
export class WebhookSecrets {
  readonly #ports: WebhookSecretsPorts

  constructor(ports: WebhookSecretsPorts) {
    this.#ports = ports
  }

  /** @returns undefined if there is none, or it was sealed with another key */
  async urlOf(webhookId: string): Promise<string | undefined> {
    return (await this.#get<Target>(webhookId))?.url
  }

  /** The URL of a webhook, and the secrets to sign with. Undefined if either is missing. */
  async addressOf(webhookId: string, orgId: string): Promise<Address | undefined> {
    const target = await this.#get<Target>(webhookId)
    if (target === undefined) return undefined
    const signing = target.own ?? (await this.#get<Secrets>(defaultIdOf(orgId)))
    if (signing === undefined) return undefined
    const still = this.#stillSigning(signing).map(({ secret }) => secret)
    return { url: target.url, secrets: [signing.secret, ...still] }
  }

  /** Stores a URL that is signed with the organization's default secret. */
  async putUrl(webhookId: string, orgId: string, url: string): Promise<void> {
    await this.#change<Target>(webhookId, orgId, () => ({ url, own: null }))
  }

  /** Stores the URL of a new endpoint. @returns its secret */
  async create(webhookId: string, orgId: string, url: string): Promise<string> {
    const secret = newSecret()
    await this.#change<Target>(webhookId, orgId, () => ({ url, own: { secret, previous: [] } }))
    return secret
  }

  /** Changes the URL of an endpoint and keeps its secret. @returns false if there is none that can be read */
  async changeUrl(webhookId: string, orgId: string, url: string): Promise<boolean> {
    const changed = await this.#change<Target>(webhookId, orgId, (held) => held && { ...held, url })
    return changed !== undefined
  }

  /** @returns the new secret; undefined if the webhook has no readable URL */
  async rotate(webhookId: string, orgId: string): Promise<string | undefined> {
    const renewed = await this.#change<Target>(
      webhookId,
      orgId,
      (held) => held && { ...held, own: this.#renewed(held.own ?? undefined) },
    )
    return renewed?.own?.secret
  }

  async hasDefault(orgId: string): Promise<boolean> {
    return (await this.#get(defaultIdOf(orgId))) !== undefined
  }

  /** Creates the organization's default secret, or replaces it. @returns it */
  async rotateDefault(orgId: string): Promise<string> {
    const { secret } = await this.#change<Secrets, Secrets>(defaultIdOf(orgId), orgId, (held) => this.#renewed(held))
    return secret
  }

  async remove(webhookId: string): Promise<void> {
    await this.#ports.sealed.removeSealed(webhookId)
  }

  /** @returns a function that removes the present entry, but not a later one */
  async removalOf(webhookId: string): Promise<() => Promise<void>> {
    const { sealed } = this.#ports
    const held = (await sealed.sealed(webhookId))?.sealed
    return async () => {
      if (held !== undefined) await sealed.removeSealed(webhookId, held)
    }
  }

  #renewed(before: Secrets | undefined): Secrets {
    if (before === undefined) return { secret: newSecret(), previous: [] }
    const until = this.#ports.clock.now() + BOTH_FOR_MS
    return { secret: newSecret(), previous: [{ secret: before.secret, until }, ...this.#stillSigning(before)] }
  }

  #stillSigning({ previous }: Secrets): Secrets['previous'] {
    return previous.filter(({ until }) => this.#ports.clock.now() < until).slice(0, MOST_PREVIOUS)
  }

  async #get<T>(id: string): Promise<T | undefined> {
    return this.#open(await this.#ports.sealed.sealed(id))
  }

  #open<T>(entry: SealedEntry | undefined): T | undefined {
    const bytes = entry && this.#ports.sealer.unseal('webhook', entry.sealed)
    return bytes && JSON.parse(bytes.toString())
  }

  /** Changes an entry; again if another process was first. `change` returns undefined to leave it unchanged. */
  async #change<T, Changed extends T | undefined = T | undefined>(
    id: string,
    orgId: string,
    change: (held: T | undefined) => Changed,
  ): Promise<Changed> {
    for (;;) {
      const entry = await this.#ports.sealed.sealed(id)
      const changed = change(this.#open<T>(entry))
      if (changed === undefined) return changed
      const sealed = this.#ports.sealer.seal('webhook', Buffer.from(JSON.stringify(changed)))
      if (await this.#ports.sealed.putSealed({ id, orgId, sealed }, entry?.sealed)) return changed
    }
  }
}
