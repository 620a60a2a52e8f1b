import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { evolve, initialKey, type Key, type KeyEvent } from '#packages/domain/key/key.ts'
import { Following } from '#packages/event-sourcing/following.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { keyIdOf, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Caller } from './caller.ts'
import { isWellFormed, secretHash } from './secret.ts'

type Ports = { store: EventStore; views: Views; clock: Clock; log: Logger }

/** The feed is taken up again this long after it failed, milliseconds. */
const FOLLOW_AGAIN_AFTER_MS = 1000

export const foldKey = (events: readonly StoredEvent[]): Key =>
  events.reduce((key, event) => evolve(key, event as StoredEvent & KeyEvent), initialKey)

/**
 * Finds the caller by the secret of a key. Keys that are in use are remembered; the feed of `key-` streams tells which
 * of them to forget. While that feed is behind, nothing is remembered and every request reads the key's stream.
 */
export class KeyRing {
  /** How far the feed of revocations has been read. */
  readonly following: Following
  readonly #ports: Ports
  /** Active keys, by the hash of their secret. */
  readonly #held: LRUCache<string, Caller>
  #caughtUp = false
  /** Grows with every revocation seen: what was read before one is not remembered after it. */
  #revocations = 0

  constructor(ports: Ports, options: { cachedEntries: number }) {
    this.#ports = ports
    this.following = new Following(ports.clock)
    this.#held = new LRUCache({ max: options.cachedEntries })
  }

  /** @returns undefined for anything that is not the secret of an active key */
  async find(secret: string): Promise<Caller | undefined> {
    const hash = secretHash(secret)
    const held = this.#caughtUp ? this.#held.get(hash) : undefined
    if (held !== undefined) return held
    return isWellFormed(secret) ? this.#read(hash) : undefined
  }

  async #read(hash: string): Promise<Caller | undefined> {
    const { store } = this.#ports
    const seen = this.#revocations
    const keyId = keyIdOf(hash)
    const key = foldKey(await store.read(streams.key(keyId)))
    if (key.status !== 'active' || !equal(key.sha256, hash)) return undefined
    const caller = { orgId: key.orgId, keyId }
    if (this.#caughtUp && seen === this.#revocations) this.#held.set(hash, caller)
    return caller
  }

  /** Forgets a key that was revoked. */
  drop(keyId: string): void {
    this.#revocations++
    for (const [hash, caller] of this.#held.entries()) if (caller.keyId === keyId) this.#held.delete(hash)
  }

  /** Follows revocations until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports
    while (!signal.aborted) {
      await this.#followOnce(signal).catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'the feed of keys stopped; keys are read on every request')
      })
      this.#caughtUp = false
      this.following.note(false)
      this.#held.clear()
      await clock.sleep(FOLLOW_AGAIN_AFTER_MS, signal).catch(() => undefined)
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const { store, views } = this.#ports
    // Nothing is held yet: revocations before this position are met by reading. A view's checkpoint is never ahead.
    const after = await views.checkpoint('keys')
    // What is being read now may be older than that position, and is not remembered.
    this.#revocations++
    for await (const batch of store.follow({ after, prefixes: ['key-'], signal })) {
      for (const event of batch.events) {
        if (event.type === 'KeyRevoked') this.drop(event.stream.slice('key-'.length))
      }
      this.#caughtUp = batch.caughtUp
      this.following.note(batch.caughtUp)
    }
  }
}

/** Compares two hashes in constant time. */
const equal = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
