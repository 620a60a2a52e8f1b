import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerOptions } from '../options.ts'

/** A request, its answer, and the work that makes the one of the other. */
type Turn = { request: IncomingMessage; response: ServerResponse; work: () => void }

/**
 * Why a connection is to be ended: its peer takes nothing of an answer, or too slowly; it sends more of a body that was
 * answered already than is dropped for it; or it keeps its side open when ours is closed.
 */
export type Problem = 'stalled' | 'slow' | 'flooding' | 'leftOpen'

/** Bytes that the system holds for one peer from which on it is worth while to drop them. */
export const MUCH = 64 * 1024

/** What the crowd around a connection is told of it. */
export type Watcher = {
  /** It begins to serve a request (`busy`), or has none left. */
  turned(connection: Connection, busy: boolean): void
  /** One more request waits (1), or so many fewer do. */
  waiting(change: number): void
}

export type ConnectionLimits = Pick<
  ServerOptions,
  'readAheadRequests' | 'answerStallMs' | 'answerTimeoutMs' | 'maxDroppedBytes' | 'lingerMs'
>

/**
 * One connection: it serves one request at a time, in the order in which they came. So the answers that wait on it are
 * never more than one, however many requests were sent at once; reading pauses meanwhile.
 */
export class Connection {
  readonly socket: Socket
  readonly #limits: ConnectionLimits
  readonly #watcher: Watcher
  #serving: Turn | undefined
  #waiting: Turn[] = []
  /** Whether reading was paused here: Node pauses it for reasons of its own. */
  #paused = false
  /** Bytes that the peer's side has taken so far, and since when that number stands, milliseconds. */
  #taken = 0
  #takenAt: number
  #hasAsked = false
  /** Whether its peer read an answer and asked for another one, which is what clients keep connections for. */
  hasAskedAgain = false
  /** Bytes of answers that the peer had before it asked again. */
  #readUpTo = 0
  /** When the answer that is being served was seen to have begun, milliseconds. */
  #answeringSince: number | undefined
  /** The last request that was answered before its body had come, and the bytes that had come by then. */
  #dropping: { request: IncomingMessage; from: number } | undefined
  /** When our side had sent its last byte, milliseconds. */
  #endedAt: number | undefined

  constructor(socket: Socket, limits: ConnectionLimits, watcher: Watcher, now: number) {
    this.socket = socket
    this.#limits = limits
    this.#watcher = watcher
    this.#takenAt = now
  }

  /** Requests that wait for the answer to another one. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Does the work for a request when its turn comes. */
  serve(turn: Turn): void {
    if (this.#serving === undefined) {
      this.#readUpTo = this.socket.bytesWritten
      this.hasAskedAgain = this.#hasAsked
      this.#hasAsked = true
      this.#watcher.turned(this, true)
      this.#begin(turn)
      return
    }
    this.#waiting.push(turn)
    this.#watcher.waiting(1)
    // Not at once: Node reads on when it has parsed this request.
    if (this.#waiting.length >= this.#limits.readAheadRequests && !this.#paused) process.nextTick(() => this.#pause())
  }

  #begin(turn: Turn): void {
    this.#serving = turn
    this.#answeringSince = undefined
    this.#dropping = undefined
    // It comes when the last byte was handed to the system, or when the connection is gone.
    turn.response.once('close', () => this.#next(turn))
    turn.work()
  }

  #next({ request }: Turn): void {
    this.#serving = undefined
    if (!request.complete) this.#dropping = { request, from: this.socket.bytesRead }
    const next = this.socket.destroyed ? undefined : this.#waiting.shift()
    if (next === undefined) {
      this.#watcher.turned(this, false)
      return
    }
    this.#watcher.waiting(-1)
    if (this.#paused && this.#waiting.length < this.#limits.readAheadRequests) this.#resume()
    this.#begin(next)
  }

  #pause(): void {
    if (this.socket.destroyed || this.#waiting.length < this.#limits.readAheadRequests) return
    this.#paused = true
    this.socket.pause()
  }

  #resume(): void {
    this.#paused = false
    this.socket.resume()
  }

  /** Why it is to be ended now; undefined: it may go on. Waiting for something to send is no reason. */
  problem(now: number): Problem | undefined {
    const { answerStallMs, answerTimeoutMs, maxDroppedBytes, lingerMs } = this.#limits
    if (this.stalledMs(now) >= answerStallMs) return 'stalled'
    if (this.#answeringMs(now) >= answerTimeoutMs) return 'slow'
    if (this.#droppedBytes() > maxDroppedBytes) return 'flooding'
    if (!this.socket.writableFinished) return undefined
    this.#endedAt ??= now
    return now - this.#endedAt >= lingerMs ? 'leftOpen' : undefined
  }

  /** How long bytes have been waiting of which none was taken, milliseconds. To be asked regularly. */
  stalledMs(now: number): number {
    const { bytesWritten, writableLength } = this.socket
    // More that waits is no progress; only what has left is.
    const taken = bytesWritten - writableLength
    if (writableLength === 0 || taken !== this.#taken) this.#takenAt = now
    this.#taken = taken
    return now - this.#takenAt
  }

  #answeringMs(now: number): number {
    const response = this.#serving?.response
    if (response?.headersSent !== true || isEventStream(response)) return 0
    this.#answeringSince ??= now
    return now - this.#answeringSince
  }

  #droppedBytes(): number {
    if (this.#dropping === undefined || this.#dropping.request.complete) return 0
    return this.socket.bytesRead - this.#dropping.from
  }

  /**
   * Bytes that the system took and that the peer may not have read. Who asks again after an answer has read it; of what the
   * system holds it tells nothing itself.
   */
  get unread(): number {
    return this.socket.bytesWritten - this.socket.writableLength - this.#readUpTo
  }

  /** Ends it at once. The system delivers what it still holds, unless that is much, or the middle of an answer. */
  end(): void {
    if (this.#serving === undefined && this.unread < MUCH) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** Its socket is closed: nothing waits any more. */
  closed(): void {
    this.#watcher.waiting(-this.#waiting.length)
    this.#waiting = []
  }
}

/** Such an answer lasts as long as its caller likes. */
const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type') ?? '').startsWith('text/event-stream')
