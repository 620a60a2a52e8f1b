import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroupOf } from './address-group.ts'
import { Connection, type Problem } from './connection.ts'
import type { ServerOptions } from './options.ts'

/** Connections that share a bound: all of them, or those of one remote address. */
class Crowd {
  readonly #max: number
  #size = 0
  /** Those that serve no request, the longest idle first. */
  readonly idle = new Set<Connection>()
  /** Those whose peer was seen not to take what waits for it, the longest first. */
  readonly stalled = new Set<Connection>()

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#size >= this.#max
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** The connection that is missed least, where there is one that nobody waits for. */
  get dispensable(): Connection | undefined {
    for (const connection of this.idle) return connection
    for (const connection of this.stalled) return connection
    return undefined
  }

  add(connection: Connection): void {
    this.#size++
    this.idle.add(connection)
  }

  remove(connection: Connection): void {
    this.#size--
    this.idle.delete(connection)
    this.stalled.delete(connection)
  }
}

/** Why a connection was ended here: the others are full of busy ones, a new one took its place, or its own doing. */
export type Ending = 'refused' | 'displaced' | 'pipelining' | Problem

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
    this.#all = new Crowd(options.maxConnections)
  }

  /** Open connections. */
  get size(): number {
    return this.#open.size
  }

  /** Takes a connection in. Where there are too many, one that nobody waits for is ended for it, or else itself. */
  admit(socket: Socket): void {
    const group = addressGroupOf(socket.remoteAddress)
    const ofAddress = this.#byAddress.get(group) ?? new Crowd(this.#options.maxConnectionsPerAddress)
    for (const crowd of [ofAddress, this.#all]) {
      if (!crowd.isFull) continue
      const { dispensable } = crowd
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
      for (const { idle } of this.#crowdsOf(connection)) {
        if (busy) idle.delete(connection)
        else idle.add(connection)
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
    for (const { connection, crowds } of this.#open.values()) {
      const problem = connection.problem(now)
      if (problem !== undefined) this.#endFor(problem, connection)
      else if (connection.stalledMs(now) === 0) for (const { stalled } of crowds) stalled.delete(connection)
      else for (const { stalled } of crowds) stalled.add(connection)
    }
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
