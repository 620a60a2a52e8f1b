import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerOptions } from '../options.ts'
import { addressGroupOf } from './address-group.ts'
import { Connection, MUCH, type Problem } from './connection.ts'

/** A connection in use makes room for a new one when nobody has asked on it for so long, milliseconds. */
const KEPT_MS = 5000

/** Connections that share a bound: all of them, or those of one remote address. */
class Crowd {
  readonly #max: number
  readonly #maxUnreadBytes: number
  #size = 0
  /** Bytes that the system may hold for their peers; counted by each sweep. */
  unread = 0
  /** Those that serve no request and whose peers never came back after an answer, the longest idle first. */
  readonly idle = new Set<Connection>()
  /** Those that serve no request and whose peers may be about to ask again, and since when, milliseconds. */
  readonly kept = new Map<Connection, number>()
  /** Those whose peer was seen not to take what waits for it, the longest first. */
  readonly stalled = new Set<Connection>()

  constructor(max: number, maxUnreadBytes: number) {
    this.#max = max
    this.#maxUnreadBytes = maxUnreadBytes
  }

  get holdsTooMuch(): boolean {
    return this.unread > this.#maxUnreadBytes
  }

  /** Those that nobody waits for, and for which the system may hold much. */
  get hoarding(): Connection[] {
    return [...this.idle, ...this.stalled, ...this.kept.keys()].filter(({ unread }) => unread >= MUCH)
  }

  get isFull(): boolean {
    return this.#size >= this.#max
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** The connection that is missed least, where there is one that nobody waits for. */
  dispensable(now: number): Connection | undefined {
    for (const connection of this.idle) return connection
    for (const connection of this.stalled) return connection
    for (const [connection, since] of this.kept) return now - since >= KEPT_MS ? connection : undefined
    return undefined
  }

  add(connection: Connection): void {
    this.#size++
    this.idle.add(connection)
  }

  rest(connection: Connection, now: number): void {
    if (connection.hasAskedAgain) this.kept.set(connection, now)
    else this.idle.add(connection)
  }

  wake(connection: Connection): void {
    this.idle.delete(connection)
    this.kept.delete(connection)
  }

  remove(connection: Connection): void {
    this.#size--
    this.wake(connection)
    this.stalled.delete(connection)
  }
}

/**
 * Why a connection was ended here: all others were busy, a new one took its place, it sent too many requests at once, too
 * much was held for peers that do not read, or a problem of its own.
 */
export type Ending = 'refused' | 'displaced' | 'pipelining' | 'unread' | Problem

/**
 * All connections of a server, within their bounds: so many in all and of one remote address, so many requests that wait
 * for their turn, and none whose answers are not read.
 */
export class Connections {
  readonly #options: ServerOptions
  readonly #now: () => number
  readonly #all: Crowd
  readonly #byAddress = new Map<string, Crowd>()
  readonly #open = new Map<Socket, { connection: Connection; crowds: readonly [Crowd, Crowd]; group: string }>()
  /** Requests that wait for their turn, of all connections. */
  #waiting = 0
  #ended: Partial<Record<Ending, number>> = {}

  /** @param now milliseconds of a clock that never goes back */
  constructor(options: ServerOptions, now: () => number) {
    this.#options = options
    this.#now = now
    this.#all = new Crowd(options.maxConnections, options.maxUnreadBytes)
  }

  /** Open connections. */
  get size(): number {
    return this.#open.size
  }

  /** Takes a connection in. Where there are too many, one that nobody waits for is ended for it, or else itself. */
  admit(socket: Socket): void {
    const group = addressGroupOf(socket.remoteAddress)
    const { maxConnectionsPerAddress, maxUnreadBytesPerAddress } = this.#options
    const ofAddress = this.#byAddress.get(group) ?? new Crowd(maxConnectionsPerAddress, maxUnreadBytesPerAddress)
    for (const crowd of [ofAddress, this.#all]) {
      if (!crowd.isFull) continue
      const dispensable = crowd.dispensable(this.#now())
      this.#count(dispensable === undefined ? 'refused' : 'displaced')
      if (dispensable === undefined) return void socket.resetAndDestroy()
      this.#end(dispensable)
    }
    const crowds = [this.#all, ofAddress] as const
    const connection = new Connection(socket, this.#options, this.#watcher, this.#now())
    this.#byAddress.set(group, ofAddress)
    this.#open.set(socket, { connection, crowds, group })
    for (const crowd of crowds) crowd.add(connection)
    socket.once('close', () => this.#forget(connection))
  }

  readonly #watcher = {
    turned: (connection: Connection, busy: boolean): void => {
      const now = busy ? 0 : this.#now()
      for (const crowd of this.#crowdsOf(connection)) {
        if (busy) crowd.wake(connection)
        else crowd.rest(connection, now)
      }
    },
    waiting: (change: number): void => {
      this.#waiting += change
    },
  }

  /** Serves what comes on a connection one by one. */
  serving =
    (listener: RequestListener): RequestListener =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { maxPipelined, maxPipelinedOfAll } = this.#options
      const connection = this.#open.get(request.socket)?.connection
      if (connection === undefined) return
      connection.serve({ request, response, work: () => listener(request, response) })
      // Whoever sends one request after the other is not touched by those who send many at once.
      const tooMany = connection.waiting > maxPipelined || this.#waiting > maxPipelinedOfAll
      if (tooMany && connection.waiting > 0) this.#endFor('pipelining', connection)
    }

  /** Requests on this connection that wait for the answer to another one. */
  waiting(socket: Socket): number {
    return this.#open.get(socket)?.connection.waiting ?? 0
  }

  /** How many connections were ended since this was last asked, by reason. */
  takeEnded(): Partial<Record<Ending, number>> {
    const ended = this.#ended
    this.#ended = {}
    return ended
  }

  /** Ends what is to be ended. To be called regularly. */
  sweep(): void {
    const now = this.#now()
    for (const crowd of this.#crowds()) crowd.unread = 0
    for (const { connection, crowds } of this.#open.values()) {
      const problem = connection.problem(now)
      if (problem !== undefined) {
        this.#endFor(problem, connection)
        continue
      }
      const isStalled = connection.stalledMs(now) > 0
      const { unread } = connection
      for (const crowd of crowds) {
        crowd.unread += unread
        if (isStalled) crowd.stalled.add(connection)
        else crowd.stalled.delete(connection)
      }
    }
    for (const crowd of this.#crowds()) if (crowd.holdsTooMuch) this.#relieve(crowd)
  }

  /** Ends connections until the system holds no more than it may for their peers. */
  #relieve(crowd: Crowd): void {
    for (const connection of crowd.hoarding) {
      if (!crowd.holdsTooMuch) return
      for (const each of this.#crowdsOf(connection)) each.unread -= connection.unread
      this.#endFor('unread', connection)
    }
  }

  /** Ends a connection that has been idle for as long as it may. */
  expire(socket: Socket): void {
    const connection = this.#open.get(socket)?.connection
    if (connection === undefined) socket.destroy()
    else this.#end(connection)
  }

  #crowds(): Crowd[] {
    return [this.#all, ...this.#byAddress.values()]
  }

  #crowdsOf({ socket }: Connection): readonly Crowd[] {
    return this.#open.get(socket)?.crowds ?? []
  }

  #count(reason: Ending): void {
    this.#ended[reason] = (this.#ended[reason] ?? 0) + 1
  }

  #endFor(reason: Ending, connection: Connection): void {
    this.#count(reason)
    this.#end(connection)
  }

  #end(connection: Connection): void {
    connection.end()
    this.#forget(connection)
  }

  #forget(connection: Connection): void {
    const known = this.#open.get(connection.socket)
    if (known === undefined) return
    this.#open.delete(connection.socket)
    connection.closed()
    for (const crowd of known.crowds) crowd.remove(connection)
    const [, ofAddress] = known.crowds
    if (ofAddress.isEmpty) this.#byAddress.delete(known.group)
  }
}
