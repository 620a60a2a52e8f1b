import { setTimeout as sleep } from 'node:timers/promises'
import { BACKWARDS, type Credentials, END, EventStoreDBClient } from '@eventstore/db-client'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { isAnswered } from './failures.ts'
import { inTime } from './in-time.ts'
import { type RecordedEvent, recordedPosition } from './records.ts'

export type ConnectionOptions = {
  /** How long one call may take, milliseconds. */
  deadlineMs: number
  /** For how long a call whose answer was lost is repeated, milliseconds. */
  patienceMs: number
  /** Told of failures that are repeated. */
  onTrouble: (error: unknown) => void
}

/** A client that failed this often in a row is replaced: where discovery failed once, it would fail for ever. */
const failuresOfOneClient = 3
const firstDelayMs = 25
const longestDelayMs = 500

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
type Connected = { getChannel(): Promise<{ close(): void }> }

/** Ends a client, and its connection: the client's own way to do so ends its streams only. */
async function endClient(client: EventStoreDBClient): Promise<void> {
  await client.dispose()
  // Not waited for: one that has not found its server yet may look for it for long.
  void (client as unknown as Connected).getChannel().then(
    (channel) => channel.close(),
    () => undefined,
  )
}

/** The client, its replacement when it goes on failing, and the repeating of calls that can be repeated. */
export class Connection implements AsyncDisposable {
  readonly credentials: Credentials
  readonly options: ConnectionOptions
  readonly #url: string
  readonly #pending = new Set<Promise<unknown>>()
  readonly #retired = new Set<Promise<unknown>>()
  #client: EventStoreDBClient
  #failures = 0
  #closed = false

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

  /** To be told after each answer, and after each failure to get one. */
  succeeded(): void {
    this.#failures = 0
  }

  failed(client: EventStoreDBClient, error: unknown): void {
    this.options.onTrouble(error)
    if (client !== this.#client || ++this.#failures < failuresOfOneClient || this.#closed) return
    this.#failures = 0
    this.#client = newClient(this.#url)
    this.#retire(client)
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
   * Calls until there is an answer, a refusal included, for as long as the patience lasts.
   * @throws UnreachableError there was none
   * @param call is given the client and how often it was called before
   */
  async ask<T>(call: (client: EventStoreDBClient, repeats: number) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the event store is closed')
    const asking = this.#ask(call)
    this.#pending.add(asking)
    try {
      return await asking
    } finally {
      this.#pending.delete(asking)
    }
  }

  async #ask<T>(call: (client: EventStoreDBClient, repeats: number) => Promise<T>): Promise<T> {
    const giveUpAt = Date.now() + this.options.patienceMs
    for (let repeats = 0, delayMs = firstDelayMs; ; repeats++, delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const client = this.#client
      try {
        const answer = await call(client, repeats)
        this.succeeded()
        return answer
      } catch (error) {
        if (isAnswered(error)) {
          this.succeeded()
          throw error
        }
        this.failed(client, error)
        if (this.#closed || Date.now() + delayMs >= giveUpAt) throw new UnreachableError('the event store', error)
        await sleep(delayMs)
      }
    }
  }

  /** The position of the last event in the log, whoever wrote it; 0 where there is none. */
  async endOfLog(): Promise<number> {
    const last = await this.ask((client) => this.lastEvent(client))
    return last === undefined ? 0 : recordedPosition(last)
  }

  /** The last event in the log, whoever wrote it, asked for once. @throws Error there was no answer within the deadline */
  async lastEvent(client: EventStoreDBClient): Promise<RecordedEvent | undefined> {
    const options = { direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true } as const
    const [last] = await inTime(client.readAll(options), this.options.deadlineMs)
    return last?.event
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#pending, ...this.#retired])
    await endClient(this.#client)
  }
}
