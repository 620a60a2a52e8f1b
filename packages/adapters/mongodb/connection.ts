import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CommandStartedEvent,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb'
import { type RefusedError, UnreachableError } from '#packages/ports/unreachable.ts'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import { refusalOf, wantsTls } from './refusals.ts'

export type MongoOptions = {
  /** Such as `mongodb://host:27017/video`, perhaps with a password. The default database is `video`. */
  url: string
  /** How long a call waits for a reachable server, milliseconds. Default 3,000. */
  selectionTimeoutMs?: number
  /** Called with every command that is sent. */
  onCommand?: (event: CommandStartedEvent) => void
  /** Called with the error while the server was never reached: a RefusedError if it refuses. */
  onTrouble?: (error: unknown) => void
  /** Called when the server is reached for the first time. */
  onAnswer?: () => void
}

const DEFAULT_DATABASE = 'video'

/** How long a connection waits for an answer, milliseconds: the server may be frozen. */
const ANSWER_WITHIN_MS = 10_000

/**
 * How long a call waits for a server and its answer, milliseconds. The driver itself may wait for ever: it ends a
 * connection in the middle of a large write, and keeps waiting for room in it.
 */
const CALL_WITHIN_MS = 15_000

const MAX_CONNECTIONS = 32

/**
 * How often a pool checks whether it has too few connections, milliseconds. Ours never has, because its minimum is 0.
 * The driver's own interval is 100 ms, which takes a third of an idle process's CPU. A broken connection is also found
 * when it is needed. The driver has no public option for this interval.
 */
const POOL_LOOKS_EVERY_MS = 10_000

/** The pause after a failed attempt to connect, milliseconds. */
const CONNECT_AGAIN_AFTER_MS = 500

/** A database that services share. A majority of its servers acknowledges writes, and reads go to the primary. */
export class MongoConnection implements AsyncDisposable {
  readonly db: Db
  readonly #client: MongoClient
  readonly #closed = new AbortController()
  readonly #connecting: Promise<void>

  /** Begins to connect. Until that has succeeded, calls wait a little and fail. @throws Error the URL cannot be used */
  constructor({ url, selectionTimeoutMs = 3000, onCommand, onTrouble = () => {}, onAnswer = () => {} }: MongoOptions) {
    this.#client = new MongoClient(url, {
      serverSelectionTimeoutMS: selectionTimeoutMs,
      connectTimeoutMS: selectionTimeoutMs,
      socketTimeoutMS: ANSWER_WITHIN_MS,
      maxPoolSize: MAX_CONNECTIONS,
      writeConcern: { w: 'majority' },
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      retryWrites: true,
      appName: 'video-intelligence',
      monitorCommands: onCommand !== undefined,
    })
    Object.assign(this.#client.options, { minPoolSizeCheckFrequencyMS: POOL_LOOKS_EVERY_MS })
    if (onCommand) this.#client.on('commandStarted', onCommand)
    this.db = this.#client.db(databaseOf(url))
    this.#connecting = this.#connect(onTrouble, onAnswer)
  }

  /**
   * The driver connects by itself only at the first call. If that fails, every later call fails too, even when the
   * server is up. After the first success it reconnects by itself.
   */
  async #connect(onTrouble: (error: unknown) => void, onAnswer: () => void): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      try {
        await this.#client.connect()
        onAnswer()
        return
      } catch (error) {
        const refusal = refusalOf(error) ?? (await this.#whyClosed(error))
        if (!signal.aborted) onTrouble(refusal ?? error)
      }
      await sleep(CONNECT_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** A server with TLS silently ends connections without it. */
  async #whyClosed(error: unknown): Promise<RefusedError | undefined> {
    const { tls, hosts, srvHost, connectTimeoutMS } = this.#client.options
    if (tls || srvHost || !/ closed\b/.test(String(error))) return undefined
    return wantsTls(hosts.join(), connectTimeoutMS)
  }

  /** Resolves if the server answers. @throws Error it does not */
  async ping(): Promise<void> {
    await this.db.command({ ping: 1 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await this.#client.close()
    await this.#connecting
  }
}

/** The path of the URL. `URL` cannot parse several hosts. */
function databaseOf(url: string): string {
  const [, name = ''] = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(url) ?? []
  return decodeURIComponent(name) || DEFAULT_DATABASE
}

/**
 * Turns errors of the driver into those of the ports. @throws UnreachableError no server has answered @throws
 * RefusedError
 */
export async function inReach<T>(answer: Promise<T>, withinMs = CALL_WITHIN_MS): Promise<T> {
  const late = Promise.withResolvers<never>()
  const fail = () => late.reject(new MongoNetworkError(`no answer for ${withinMs} ms`))
  const timer = setTimeout(fail, withinMs).unref()
  try {
    return await Promise.race([answer, late.promise])
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== undefined) throw refusal
    if (isUnanswered(error)) throw new UnreachableError('the database', error)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Whether a call failed because the database is away, or refuses all calls. An error about views that are being rebuilt
 * is an answer.
 */
export const isAway = (error: unknown): boolean =>
  error instanceof UnreachableError && !(error instanceof ViewsUnreadableError)

const isUnanswered = (error: unknown): boolean =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  error instanceof MongoTopologyClosedError ||
  (error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.RetryableWriteError)) ||
  isOfSocket(error) ||
  isOfNoServer(error)

/** A socket's own error, such as EPIPE. The driver passes it on from the middle of a large write. */
const isOfSocket = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof MongoError) && ['EPIPE', 'ECONNRESET'].includes(`${codeOf(error)}`)

/** A bulk write wraps every error in one of its own. An error of the server has a code, or names the failed writes. */
const isOfNoServer = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError &&
  [error.writeErrors].flat().length === 0 &&
  !(typeof codeOf(error) === 'number') &&
  error.result.getWriteConcernError() === undefined

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code
