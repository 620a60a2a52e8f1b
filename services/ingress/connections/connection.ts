import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerOptions } from '../options.ts'

/** A request, its response, and the function that answers the request. */
type Turn = { request: IncomingMessage; response: ServerResponse; listener: RequestListener }

/**
 * Why a connection must be closed. Its peer reads nothing of an answer (stalled), reads it too slowly (slow), continues
 * to send a body after its request was answered (flooding), or leaves its side open after we closed ours (leftOpen).
 */
export type Problem = 'stalled' | 'slow' | 'flooding' | 'leftOpen'

/** With at least this many bytes in the system's send buffer, a connection is reset to free them. */
export const MUCH = 64 * 1024

/** Notified by a connection, for the counts over all connections. */
export type Watcher = {
  /** The connection has begun to serve a request (`busy`), or has none left. */
  turned(connection: Connection, busy: boolean): void
  /** The number of its waiting requests has changed by `change`. */
  waiting(change: number): void
}

export type ConnectionLimits = Pick<
  ServerOptions,
  'readAheadRequests' | 'answerStallMs' | 'answerTimeoutMs' | 'maxDroppedBytes' | 'lingerMs'
>

/**
 * One connection. It serves one request at a time, in order, and stops reading while too many wait. So even with
 * pipelined requests, at most one answer is held in memory.
 */
export class Connection {
  readonly socket: Socket
  readonly #limits: ConnectionLimits
  readonly #watcher: Watcher
  #serving: Turn | undefined
  #waiting: Turn[] = []
  /** True while this class has paused reading. Node pauses too, for reasons of its own. */
  #paused = false
  /** The bytes that have left the buffer so far, and the time of the last change, milliseconds. */
  #taken = 0
  #takenAt: number
  #hasAsked = false
  /** True if its peer has sent another request after an answer, like clients that reuse connections. */
  hasAskedAgain = false
  /** Bytes written before the last request. The peer has read them, because it sent another request. */
  #readUpTo = 0
  /** When the current answer was first seen to have begun, milliseconds. */
  #answeringSince: number | undefined
  /** The last request that was answered before its body was complete, and the bytes received by then. */
  #dropping: { request: IncomingMessage; from: number } | undefined
  /** When our side was closed, milliseconds. */
  #endedAt: number | undefined

  constructor(socket: Socket, limits: ConnectionLimits, watcher: Watcher, now: number) {
    this.socket = socket
    this.#limits = limits
    this.#watcher = watcher
    this.#takenAt = now
  }

  /** Requests that wait for the answer to an earlier one. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** True if the peer waits for an answer or has part of one. It would take anything sent now for that answer. */
  get isAnswering(): boolean {
    if (this.#serving === undefined) return false
    const { request, response } = this.#serving
    return request.complete || response.headersSent
  }

  /** Answers a request when its turn comes. */
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
    // Deferred, because Node reads on once it has parsed this request.
    if (this.#waiting.length >= this.#limits.readAheadRequests && !this.#paused) process.nextTick(() => this.#pause())
  }

  #begin(turn: Turn): void {
    this.#serving = turn
    this.#answeringSince = undefined
    this.#dropping = undefined
    const { request, response, listener } = turn
    // 'close' comes once: when the last byte was handed to the system, or when the connection is lost.
    response.on('close', () => this.#next(turn))
    listener(request, response)
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

  /**
   * Why the connection must be closed now; undefined if it may continue. A peer that waits for our answer is no reason.
   */
  problem(now: number): Problem | undefined {
    const { answerStallMs, answerTimeoutMs, maxDroppedBytes, lingerMs } = this.#limits
    if (this.stalledMs(now) >= answerStallMs) return 'stalled'
    if (this.#answeringMs(now) >= answerTimeoutMs) return 'slow'
    if (this.#droppedBytes() > maxDroppedBytes) return 'flooding'
    if (!this.socket.writableFinished) return undefined
    this.#endedAt ??= now
    return now - this.#endedAt >= lingerMs ? 'leftOpen' : undefined
  }

  /** How long the peer has taken none of the bytes that wait for it, milliseconds. Must be called regularly. */
  stalledMs(now: number): number {
    const { bytesWritten, writableLength } = this.socket
    // Only bytes that have left the buffer are progress.
    const taken = bytesWritten - writableLength
    if (writableLength === 0 || taken !== this.#taken) this.#takenAt = now
    this.#taken = taken
    return now - this.#takenAt
  }

  #answeringMs(now: number): number {
    const response = this.#serving?.response
    if (response?.headersSent !== true || isLasting(response)) return 0
    this.#answeringSince ??= now
    return now - this.#answeringSince
  }

  #droppedBytes(): number {
    if (this.#dropping === undefined || this.#dropping.request.complete) return 0
    return this.socket.bytesRead - this.#dropping.from
  }

  /**
   * Bytes handed to the system that the peer may not have read yet. The system does not report how many it still holds.
   * But a peer that sends another request has read the answer before it.
   */
  get unread(): number {
    return this.socket.bytesWritten - this.socket.writableLength - this.#readUpTo
  }

  /**
   * Closes the connection at once. The system still delivers what it holds, unless that is a lot or only part of an
   * answer.
   */
  end(): void {
    if (this.#serving === undefined && this.unread < MUCH) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** Its socket is closed, so no request waits any more. */
  closed(): void {
    this.#watcher.waiting(-this.#waiting.length)
    this.#waiting = []
  }
}

/** Types of answers that are sent while they are made. They have no time limit. */
const lastingTypes = ['text/event-stream', 'application/x-ndjson', 'text/csv', 'application/zip']

const isLasting = (response: ServerResponse): boolean =>
  lastingTypes.includes(String(response.getHeader('content-type') ?? '').split(';', 1)[0] ?? '')
