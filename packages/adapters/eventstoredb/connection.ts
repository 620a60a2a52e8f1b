import { setTimeout as sleep } from 'node:timers/promises'
import { type Credentials, ErrorType, EventStoreDBClient } from '@eventstore/db-client'
import { RefusedError, UnreachableError } from '#packages/ports/unreachable.ts'
import { isAnswered, typeOf } from './failures.ts'
import { HighWaterMark, lastEvent } from './high-water-mark.ts'
import { hostsOf, probe } from './probe.ts'
import { commitOf, type RecordedEvent } from './records.ts'
import { type Asked, PutBackError, refusalOf } from './refusals.ts'
import type { FeedSource } from './subscription.ts'

export type ConnectionOptions = {
  /** How long one call may take, milliseconds. */
  deadlineMs: number
  /** For how long a call whose answer was lost is repeated, milliseconds. */
  patienceMs: number
  /** Told of failures that are repeated; RefusedError where the server, or what stands in its place, refuses. */
  onTrouble: (error: unknown, asked: Asked) => void
  /** Told of every answer. */
  onAnswer: (asked: Asked) => void
}

/** A client that failed this often in a row is replaced: where discovery failed once, it would fail for ever. */
const failuresOfOneClient = 3
const firstDelayMs = 25
const longestDelayMs = 500

/** A host is tried by itself this often at most, and what that has shown holds for so long. */
const probeEveryMs = 2000
/** A store that was put back is looked at again this often at most. */
const verifyEveryMs = 400

/**
 * Who calls. Given with each append, they choose the client's unary path, which keeps to its deadline and does not
 * fail with the calls of others; an insecure server is sent none.
 * @throws Error a server with TLS needs them
 */
function credentialsOf(url: string): Credentials {
  const [, username, password] = /^esdb(?:\+discover)?:\/\/([^:@/]+):([^@/]*)@/.exec(url) ?? []
  if (username !== undefined && password !== undefined)
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  if (/[?&]tls=false/i.test(url)) return { username: 'nobody', password: '' }
  throw new Error('an event store with TLS needs its user and password in the URL: esdb://user:password@host')
}

/** The hosts and options of a URL: a password may hold a `?` of its own. */
const withoutLogin = (url: string): string => url.replace(/^[^/]*\/\/(?:[^@]*@)?/, '')

/**
 * What may stand behind the `?` of the URL; an unknown option makes the client print the URL, password included. How long
 * a keep-alive is waited for is chosen here.
 */
const knownOptions: ReadonlySet<string> = new Set(
  [
    ...['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'nodePreference', 'connectionName'],
    ...['tls', 'tlsCAFile', 'userCertFile', 'userKeyFile', 'keepAliveInterval', 'defaultDeadline'],
  ].map((name) => name.toLowerCase()),
)

/** @throws Error naming the first option that is none */
function assertOptions(url: string): void {
  const [, options = ''] = withoutLogin(url).split('?')
  const names = options.split('&').flatMap((option) => option.split('=')[0] || [])
  const unknown = names.find((name) => !knownOptions.has(name.toLowerCase()))
  if (unknown !== undefined) throw new Error(`the URL of the event store has an option that is not known: ${unknown}`)
}

let clients = 0

/**
 * Clients whose channels have the same options share their TCP connection: the replacement of one whose connection
 * stands still would get that very connection. So each differs a little, in how long it waits for a keep-alive.
 */
function newClient(url: string): EventStoreDBClient {
  const keepAliveTimeout = 10_000 + (clients++ % 1000)
  const mark = withoutLogin(url).includes('?') ? '&' : '?'
  return EventStoreDBClient.connectionString(`${url}${mark}keepAliveTimeout=${keepAliveTimeout}`)
}

/** What the client keeps to itself. */
type Connected = { getChannel(): Promise<{ close(): void; getConnectivityState(connect: boolean): number }> }

/** What gRPC calls the state of a connection that can be used. */
const readyState = 2

/** Ends a client, and its connection: the client's own way to do so ends its streams only. */
async function endClient(client: EventStoreDBClient): Promise<void> {
  await client.dispose()
  // Not waited for: one that has not found its server yet may look for it for long.
  void (client as unknown as Connected).getChannel().then(
    (channel) => channel.close(),
    () => undefined,
  )
}

/**
 * The client, its replacement when it goes on failing, and the repeating of calls that can be repeated. After every failure
 * the store must first show that it is still the one that was seen: it may be back with less than it had.
 */
export class Connection implements AsyncDisposable {
  readonly credentials: Credentials
  readonly options: ConnectionOptions
  /** The newest of what was seen of the store. */
  readonly mark = new HighWaterMark()
  readonly #url: string
  readonly #pending = new Set<Promise<unknown>>()
  readonly #retired = new Set<Promise<unknown>>()
  #client: EventStoreDBClient
  #failures = 0
  #closed = false
  /** Failures so far, and how many of them there had been when the store last showed that it is the one that was seen. */
  #doubts = 0
  #doubtsSettled = 0
  #verifying: Promise<void> | undefined
  #verifiedAt = Number.NEGATIVE_INFINITY
  #problem: string | undefined
  /** Why a host that is there cannot be used, found by trying it by itself; until the next answer. */
  #refusal: RefusedError | undefined
  #probing: Promise<void> | undefined
  #probedAt = Number.NEGATIVE_INFINITY

  constructor(url: string, options: ConnectionOptions) {
    this.#url = url
    this.options = options
    assertOptions(url)
    this.credentials = credentialsOf(url)
    this.#client = newClient(url)
  }

  get client(): EventStoreDBClient {
    return this.#client
  }

  /** Why this is not the store that was seen, in one sentence. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** To be told after each answer, and after each failure to get one. */
  succeeded(asked: Asked): void {
    this.#failures = 0
    this.#refusal = undefined
    this.options.onAnswer(asked)
  }

  failed(client: EventStoreDBClient, error: unknown, asked: Asked): void {
    const refusal = refusalOf(error, asked)
    this.options.onTrouble(refusal ?? this.#refusal ?? error, asked)
    const cause = error instanceof RefusedError ? (error.cause ?? error) : error
    if (cause instanceof PutBackError || typeOf(cause) === ErrorType.ACCESS_DENIED) return
    this.#doubts++
    if (client !== this.#client || this.#closed) return
    if (++this.#failures < failuresOfOneClient) return
    this.#failures = 0
    this.#client = newClient(this.#url)
    this.#retire(client)
    if (refusal === undefined) this.#probe(asked)
  }

  /** Finds out why a store that is there cannot be used. */
  #probe(asked: Asked): void {
    if (this.#probing !== undefined || performance.now() - this.#probedAt < probeEveryMs) return
    // Where the file of the authority cannot be read any more, nothing is found out.
    const found = probe(hostsOf(this.#url), this.options.deadlineMs).catch(() => undefined)
    this.#probing = found.then((refusal) => {
      this.#probing = undefined
      this.#probedAt = performance.now()
      this.#refusal = refusal
      if (refusal !== undefined && !this.#closed) this.options.onTrouble(refusal, asked)
    })
  }

  /** What a subscription by a client needs. */
  sourceOf(client: EventStoreDBClient): FeedSource {
    return { client, credentials: this.credentials, deadlineMs: this.options.deadlineMs }
  }

  /** Something speaks against the store: it is looked at before anything else is asked of it. */
  doubt(): void {
    this.#doubts++
  }

  /** A connection that is down now may lead to something else once it is up again. */
  async #doubtWhileDown(client: EventStoreDBClient): Promise<void> {
    if (this.mark.position === 0) return
    // Where no server is found, the call itself says so.
    const channel = await (client as unknown as Connected).getChannel().catch(() => undefined)
    if (channel?.getConnectivityState(false) !== readyState) this.doubt()
  }

  /** @throws PutBackError the store is not the one that was seen @throws Error it gave no answer */
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
    const problem = await this.mark.problemOf(client, this.options.deadlineMs).catch((error: unknown) => {
      throw refusalOf(error, 'feed') ?? error
    })
    // A client that was replaced meanwhile ends its reads as if the log were empty.
    if (client !== this.#client) throw new Error('the client was replaced')
    this.#problem = problem
    this.#verifiedAt = performance.now()
    if (problem !== undefined) throw new PutBackError(problem)
    this.#doubtsSettled = doubts
  }

  /**
   * Ends a client that was replaced once nothing is under way on it. Before, its reads would not fail: they would end as
   * if nothing more stood in their stream.
   */
  #retire(client: EventStoreDBClient): void {
    const retired = Promise.allSettled(this.#pending).then(() => endClient(client))
    this.#retired.add(retired)
    void retired.finally(() => this.#retired.delete(retired))
  }

  /**
   * Calls until there is an answer, a conflict included, for as long as the patience lasts.
   * @throws UnreachableError there was none @throws RefusedError it was a refusal that a person has to mend
   * @param call is given the client and how often it was called before
   */
  async ask<T>(
    call: (client: EventStoreDBClient, repeats: number) => Promise<T>,
    asked: Asked = 'streams',
  ): Promise<T> {
    if (this.#closed) throw new Error('the event store is closed')
    const asking = this.#ask(call, asked)
    this.#pending.add(asking)
    try {
      return await asking
    } finally {
      this.#pending.delete(asking)
    }
  }

  async #ask<T>(call: (client: EventStoreDBClient, repeats: number) => Promise<T>, asked: Asked): Promise<T> {
    const giveUpAt = Date.now() + this.options.patienceMs
    for (let repeats = 0, delayMs = firstDelayMs; ; repeats++, delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      if (this.#refusal !== undefined && performance.now() - this.#probedAt < probeEveryMs) throw this.#refusal
      let client = this.#client
      try {
        await this.#doubtWhileDown(client)
        await this.verify()
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
        if (this.#closed || Date.now() + delayMs >= giveUpAt) throw new UnreachableError('the event store', error)
        await sleep(delayMs)
      }
    }
  }

  /** The position of the last event in the log, whoever wrote it; 0 where there is none. */
  async endOfLog(): Promise<number> {
    const last = await this.ask((client) => this.lastEvent(client), 'feed')
    return last === undefined ? 0 : commitOf(last)
  }

  /** The last event in the log, whoever wrote it, asked for once. @throws Error there was no answer within the deadline */
  lastEvent(client: EventStoreDBClient): Promise<RecordedEvent | undefined> {
    return lastEvent(client, this.options.deadlineMs)
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#pending, ...this.#retired, this.#probing])
    await endClient(this.#client)
  }
}
