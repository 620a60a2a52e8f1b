import { setTimeout as sleep } from 'node:timers/promises'
import { type Credentials, ErrorType, EventStoreDBClient } from '@eventstore/db-client'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { RefusedError, UnreachableError } from '#packages/ports/unreachable.ts'
import { BatchAppend } from './calls/batch-append.ts'
import { closeChannel, isReady } from './calls/client-internals.ts'
import { isAnswered, typeOf } from './calls/failures.ts'
import { commitOf, type RecordedEvent } from './calls/records.ts'
import { type Asked, PutBackError, refusalOf } from './calls/refusals.ts'
import { assertVersion } from './calls/server-version.ts'
import { HighWaterMark, lastEvent } from './high-water-mark.ts'
import { hostsOf, probe } from './probe.ts'
import type { FeedSource } from './subscription.ts'

export type ConnectionOptions = {
  /** How long one call may take, milliseconds. Default of the store: 2,000. */
  deadlineMs: number
  /** How long to repeat a call after lost answers, milliseconds. Default of the store: 2,500. */
  patienceMs: number
  /**
   * Called with every failure that is retried. It is a RefusedError if the server, or something in its place, refuses:
   * a person has to fix it. `asked` is the kind of the failed call; an answer to the same kind ends the trouble.
   */
  onTrouble?: (error: unknown, asked: Asked) => void
  /** Called after every answer. */
  onAnswer?: (asked: Asked) => void
}

/** Replace a client after this many failures in a row: once its discovery has failed, it fails for ever. */
const failuresOfOneClient = 3
const firstDelayMs = 25
const longestDelayMs = 500
const nextDelay = (delayMs: number): number => Math.min(Math.max(delayMs * 2, firstDelayMs), longestDelayMs)

/**
 * The most calls at once. The client's connection carries 100 calls, including up to 50 followers and the append
 * stream. Further calls would wait silently while their deadline passes.
 */
export const mostCalls = 40

/** A call of the client. `repeats`: how often it was made before. */
type Call<T> = (client: EventStoreDBClient, repeats: number) => Promise<T>

/** The shortest interval between probes of single hosts, milliseconds. A result stays valid for as long. */
const probeEveryMs = 2000
/** The shortest interval between checks of a store that was restored from an older copy, milliseconds. */
const verifyEveryMs = 400

/**
 * The credentials in a URL. If a call that writes metadata carries credentials, the client uses its unary path. That
 * path obeys the deadline and does not fail with other calls. A server without TLS gets no credentials.
 * @throws Error the URL has none, and a server with TLS needs them
 */
function credentialsOf(url: string): Credentials {
  const [, username, password] = /^esdb(?:\+discover)?:\/\/([^:@/]+):([^@/]*)@/.exec(url) ?? []
  if (username !== undefined && password !== undefined)
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  if (/[?&]tls=false/i.test(url)) return { username: 'nobody', password: '' }
  throw new Error('an event store with TLS needs its user and password in the URL: esdb://user:password@host')
}

/** The hosts and options of a URL. A password may contain a `?`. */
const withoutLogin = (url: string): string => url.replace(/^[^/]*\/\/(?:[^@]*@)?/, '')

/**
 * Options allowed in the URL. On an unknown one, the client prints the URL with its password. The keep-alive timeout is
 * missing because it is set below.
 */
const knownOptions: ReadonlySet<string> = new Set(
  [
    ...['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'nodePreference', 'connectionName'],
    ...['tls', 'tlsCAFile', 'userCertFile', 'userKeyFile', 'keepAliveInterval', 'defaultDeadline'],
  ].map((name) => name.toLowerCase()),
)

/** @throws Error names the first unknown option */
function assertOptions(url: string): void {
  const [, options = ''] = withoutLogin(url).split('?')
  const names = options.split('&').flatMap((option) => option.split('=')[0] || [])
  const unknown = names.find((name) => !knownOptions.has(name.toLowerCase()))
  if (unknown !== undefined) throw new Error(`the URL of the event store has an option that is not known: ${unknown}`)
}

/**
 * Clients with equal channel options share one TCP connection. The replacement of a client with a frozen connection
 * would get the same frozen connection. So each client gets a slightly different keep-alive timeout.
 * @param before how many clients the connection had before
 */
function newClient(url: string, before: number): EventStoreDBClient {
  const keepAliveTimeout = 10_000 + (before % 1000)
  const mark = withoutLogin(url).includes('?') ? '&' : '?'
  return EventStoreDBClient.connectionString(`${url}${mark}keepAliveTimeout=${keepAliveTimeout}`)
}

/** Ends a client and its connection. The client's own `dispose` ends only its streams. */
async function endClient(client: EventStoreDBClient): Promise<void> {
  await client.dispose()
  closeChannel(client)
}

/**
 * Holds the client, replaces it if it keeps failing, and repeats calls that are safe to repeat. At the start and after
 * every failure, it first verifies the server and the store. The store may have come back with fewer events.
 */
export class Connection implements AsyncDisposable {
  readonly credentials: Credentials
  readonly options: ConnectionOptions
  /** The newest event seen in the store. */
  readonly mark = new HighWaterMark()
  readonly #url: string
  readonly #pending = new Set<Promise<unknown>>()
  readonly #retired = new Set<Promise<unknown>>()
  /** The append stream of each client that has not ended. */
  readonly #appends = new Map<EventStoreDBClient, BatchAppend>()
  /** Aborted when the client ends. */
  readonly #ends = new WeakMap<EventStoreDBClient, AbortController>()
  readonly #permits = new Semaphore(mostCalls)
  #client: EventStoreDBClient
  #clients = 0
  #failures = 0
  #answeredAt = Number.NEGATIVE_INFINITY
  #closed = false
  /** Counts the start and every failure. `#doubtsSettled` is the count at the last successful verification. */
  #doubts = 1
  #doubtsSettled = 0
  #verifying: Promise<void> | undefined
  #verifiedAt = Number.NEGATIVE_INFINITY
  #problem: string | undefined
  /** Why a reachable host cannot be used, found by probing it alone. The next answer clears it. */
  #refusal: RefusedError | undefined
  #probing: Promise<void> | undefined
  #probedAt = Number.NEGATIVE_INFINITY

  constructor(url: string, options: ConnectionOptions) {
    this.#url = url
    this.options = options
    assertOptions(url)
    this.credentials = credentialsOf(url)
    this.#client = newClient(url, this.#clients++)
  }

  get client(): EventStoreDBClient {
    return this.#client
  }

  /** The appends of a client, over one stream that ends with the client. */
  appendsOf(client: EventStoreDBClient): BatchAppend {
    const known = this.#appends.get(client)
    if (known !== undefined) return known
    const appends = new BatchAppend(client, { credentials: this.credentials, deadlineMs: this.options.deadlineMs })
    this.#appends.set(client, appends)
    return appends
  }

  /** Why this is not the store seen before, in one sentence. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Called after each answer; `failed` is called after each call without one. */
  succeeded(asked: Asked): void {
    this.#failures = 0
    this.#refusal = undefined
    this.#answeredAt = performance.now()
    this.options.onAnswer?.(asked)
  }

  failed(client: EventStoreDBClient, error: unknown, asked: Asked): void {
    const refusal = refusalOf(error, asked)
    this.options.onTrouble?.(refusal ?? this.#refusal ?? error, asked)
    const cause = error instanceof RefusedError ? (error.cause ?? error) : error
    if (cause instanceof PutBackError || typeOf(cause) === ErrorType.ACCESS_DENIED) return
    this.#doubts++
    if (client !== this.#client || this.#closed) return
    if (++this.#failures < failuresOfOneClient) return
    this.#failures = 0
    this.#client = newClient(this.#url, this.#clients++)
    this.#retire(client)
    if (refusal === undefined) this.#probe(asked)
  }

  /** Finds out in the background why a reachable store cannot be used. */
  #probe(asked: Asked): void {
    if (this.#probing !== undefined || performance.now() - this.#probedAt < probeEveryMs) return
    // Finds nothing if the CA file can no longer be read.
    const found = probe(hostsOf(this.#url), this.options.deadlineMs).catch(() => undefined)
    this.#probing = found.then((refusal) => {
      this.#probing = undefined
      this.#probedAt = performance.now()
      this.#refusal = refusal
      if (refusal !== undefined && !this.#closed) this.options.onTrouble?.(refusal, asked)
    })
  }

  /** The parts that a subscription by this client uses. */
  sourceOf(client: EventStoreDBClient): FeedSource {
    const end = this.#ends.get(client) ?? new AbortController()
    this.#ends.set(client, end)
    return { client, ended: end.signal, credentials: this.credentials, deadlineMs: this.options.deadlineMs }
  }

  /** Marks the store as possibly replaced: the next call verifies it first. */
  doubt(): void {
    this.#doubts++
  }

  /** A connection that was down may lead to another store when it is up again. */
  async #doubtWhileDown(client: EventStoreDBClient): Promise<void> {
    if (this.mark.position === 0) return
    if (!(await isReady(client))) this.doubt()
  }

  /**
   * @throws PutBackError the store is not the one seen before
   * @throws RefusedError the server is of a version that cannot be used @throws Error it did not answer
   */
  async verify(): Promise<void> {
    if (this.#doubts === this.#doubtsSettled) return
    const isRecent = performance.now() - this.#verifiedAt < verifyEveryMs
    if (this.#problem !== undefined && isRecent) throw new PutBackError(this.#problem)
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined
    })
    await this.#verifying
  }

  async #verify(): Promise<void> {
    const [client, doubts] = [this.#client, this.#doubts]
    const { deadlineMs } = this.options
    await assertVersion(client, deadlineMs)
    const problem = await this.mark.problemOf(client, deadlineMs).catch((error: unknown) => {
      throw refusalOf(error, 'feed') ?? error
    })
    // A replaced client ends its reads as if the log were empty.
    if (client !== this.#client) throw new Error('the client was replaced')
    this.#problem = problem
    this.#verifiedAt = performance.now()
    if (problem !== undefined) throw new PutBackError(problem)
    this.#doubtsSettled = doubts
  }

  /**
   * Ends a replaced client once its calls have finished. Ended earlier, its reads would not fail: they would end as if
   * their stream had no more events.
   */
  #retire(client: EventStoreDBClient): void {
    const retired = Promise.allSettled(this.#pending).then(() => this.#end(client))
    this.#retired.add(retired)
    void retired.finally(() => this.#retired.delete(retired))
  }

  async #end(client: EventStoreDBClient): Promise<void> {
    this.#appends.get(client)?.[Symbol.dispose]()
    this.#appends.delete(client)
    this.#ends.get(client)?.abort(new Error('the client of the event store was replaced'))
    await endClient(client)
  }

  /**
   * Repeats the call until it is answered, for `patienceMs` at most. A conflict counts as an answer. While other calls
   * are answered, the call waits for its turn, however long that takes.
   * @throws UnreachableError there was no answer
   * @throws RefusedError a person has to fix something
   * @param call gets the client and the number of calls before this one
   */
  ask<T>(call: Call<T>, asked: Asked = 'streams'): Promise<T> {
    return this.#ask(call, asked, this.#permits)
  }

  /** The same for a call over a stream that is open already. It does not wait for a turn. */
  askOverStream<T>(call: Call<T>): Promise<T> {
    return this.#ask(call, 'streams')
  }

  async #ask<T>(call: Call<T>, asked: Asked, permits?: Semaphore): Promise<T> {
    const asking = this.#askUntilAnswered(call, asked, permits)
    this.#pending.add(asking)
    try {
      return await asking
    } finally {
      this.#pending.delete(asking)
    }
  }

  async #askUntilAnswered<T>(call: Call<T>, asked: Asked, permits: Semaphore | undefined): Promise<T> {
    if (this.#closed) throw new Error('the event store is closed')
    const begunAt = performance.now()
    let giveUpAt: number | undefined
    for (let repeats = 0, delayMs = 0; ; repeats++, delayMs = nextDelay(delayMs)) {
      if (delayMs > 0) await sleep(delayMs)
      using _permit = await permits?.acquire()
      giveUpAt ??= performance.now() + this.options.patienceMs
      if (this.#isSilentSince(begunAt)) throw new UnreachableError('the event store', new Error('nobody had an answer'))
      if (this.#refusal !== undefined && performance.now() - this.#probedAt < probeEveryMs) throw this.#refusal
      let client = this.#client
      try {
        const isOpen = permits === undefined && this.#appends.get(client)?.isOpen === true
        if (!isOpen) await this.#doubtWhileDown(client)
        if (this.#doubts !== this.#doubtsSettled) await this.verify()
        client = this.#client
        const answer = await call(client, repeats)
        this.succeeded(asked)
        return answer
      } catch (error) {
        if (isAnswered(error)) {
          this.succeeded(asked)
          throw error
        }
        this.failed(client, error, asked)
        const refusal = refusalOf(error, asked) ?? this.#refusal
        if (refusal !== undefined) throw refusal
        if (this.#closed || performance.now() + nextDelay(delayMs) >= giveUpAt)
          throw new UnreachableError('the event store', error)
      }
    }
  }

  /** True if a call has waited longer than the patience, and no other call was answered in that time. */
  #isSilentSince(begunAt: number): boolean {
    return this.#answeredAt < begunAt && performance.now() - begunAt > this.options.patienceMs
  }

  /** The position of the last event in the log, including other programs' events; 0 if there is none. */
  async endOfLog(): Promise<number> {
    const last = await this.ask((client) => this.lastEvent(client), 'feed')
    return last === undefined ? 0 : commitOf(last)
  }

  /**
   * The last event in the log, including other programs' events. Does not retry. @throws Error no answer within the
   * deadline
   */
  lastEvent(client: EventStoreDBClient): Promise<RecordedEvent | undefined> {
    return lastEvent(client, this.options.deadlineMs)
  }

  /** Waits for calls under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#pending, ...this.#retired, this.#probing])
    await this.#end(this.#client)
  }
}
