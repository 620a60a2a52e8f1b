import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hasExpired } from '#packages/domain/key/grant.ts'
import { key } from '#packages/domain/key/key.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { FeedLag } from '#packages/events/store/feed-lag.ts'
import { type FeedReader, follow } from '#packages/events/store/follow.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import { keyIdOf, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Caller } from './caller.ts'
import { isWellFormed, secretHash } from './secret.ts'

type Ports = { store: EventStore; views: Views; clock: Clock; log: Logger }

/** The feed is read again this long after it failed, milliseconds. */
const FOLLOW_AGAIN_AFTER_MS = 1000

/**
 * Finds the caller by the secret of a key. Keys in use are cached, and dropped when the feed of `key-` streams shows
 * their revocation or a change. While that feed is behind, nothing is cached: every request reads the key's stream.
 */
export class KeyRing {
  /** How long the ring has been behind the feed of revocations. */
  readonly lag: FeedLag
  readonly #ports: Ports
  /** Active keys, by the hash of their secret. */
  readonly #held: LRUCache<string, Caller>
  #caughtUp = false
  /** Counts the revocations and changes seen. A key that was read before one is not cached after it. */
  #revocations = 0

  constructor(ports: Ports, options: { cachedEntries: number }) {
    this.#ports = ports
    this.lag = new FeedLag(ports.clock)
    this.#held = new LRUCache({ max: options.cachedEntries })
  }

  /** The last known holder of the key with this hash, without reading anything. The key may have expired since. */
  held(hash: string): Caller | undefined {
    return this.#caughtUp ? this.#held.get(hash) : undefined
  }

  /** @returns undefined for anything but the secret of an active key that has not expired by our clock */
  async find(secret: string): Promise<Caller | undefined> {
    return isWellFormed(secret) ? this.findByHash(secretHash(secret)) : undefined
  }

  /** Finds the caller by the hash of the secret. */
  async findByHash(hash: string): Promise<Caller | undefined> {
    const caller = this.held(hash) ?? (await this.#read(hash))
    return caller === undefined || hasExpired(caller.grant, this.#ports.clock.now()) ? undefined : caller
  }

  async #read(hash: string): Promise<Caller | undefined> {
    const { store } = this.#ports
    const seen = this.#revocations
    const keyId = keyIdOf(hash)
    const found = fold(key, await store.read(streams.key(keyId)))
    if (found.status !== 'active' || !equal(found.sha256, hash)) return undefined
    const { scopes, monthlyCredits, expiresAt } = found
    const caller = { orgId: found.orgId, keyId, grant: { scopes, monthlyCredits, expiresAt } }
    if (this.#caughtUp && seen === this.#revocations) this.#held.set(hash, caller)
    return caller
  }

  /** Drops a key that was revoked or changed from the cache. */
  drop(keyId: string): void {
    this.#revocations++
    for (const [hash, caller] of this.#held.entries()) if (caller.keyId === keyId) this.#held.delete(hash)
  }

  /**
   * Follows revocations until the signal is aborted.
   * @param readers read the same feed: each follower of a process costs as much as the first
   */
  async follow(signal: AbortSignal, readers: readonly FeedReader[] = []): Promise<void> {
    await follow(
      this.#ports,
      {
        // A removed stream no longer shows its revocation.
        prefixes: [...new Set(['key-', 'removal-', ...readers.flatMap(({ prefixes }) => prefixes)])],
        lag: this.lag,
        begin: () => this.#begin(),
        take: (batch) => {
          this.#take(batch)
          for (const reader of readers) reader.take(batch)
        },
        failed: (error) => {
          this.#ports.log.error({ err: error }, 'the feed of keys stopped; keys are read on every request')
          this.#forget()
          return FOLLOW_AGAIN_AFTER_MS
        },
      },
      signal,
    )
    this.#forget()
  }

  async #begin(): Promise<number> {
    // Nothing is cached yet, so reading finds every revocation before this position. A checkpoint of a view is never
    // ahead of the feed.
    const after = await this.#ports.views.checkpoint()
    // A key that is being read now may be older than that position, so it is not cached.
    this.#revocations++
    return after
  }

  #take({ events, caughtUp }: FeedBatch): void {
    for (const event of events) {
      if (event.type === 'KeyRevoked' || event.type === 'KeyChanged') this.drop(idOf(event.stream))
      if (event.type !== 'StreamsRemoved') continue
      for (const stream of event.data.streams) if (stream.startsWith('key-')) this.drop(idOf(stream))
    }
    this.#caughtUp = caughtUp
  }

  /** Without the feed nothing may be cached: a revocation would go unnoticed. */
  #forget(): void {
    this.#caughtUp = false
    this.#held.clear()
  }
}

const idOf = (stream: string): string => stream.slice('key-'.length)

/** Compares two hashes in constant time. */
const equal = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
