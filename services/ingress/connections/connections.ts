import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerOptions } from '../options.ts'
import { addressGroupOf } from './address-group.ts'
import { Connection, MUCH, type Problem } from './connection.ts'

/** How long a reused connection must be idle before it may be closed for a new one, milliseconds. */
const KEPT_MS = 5000

/** Connections that share limits: all of the server, or all of one remote address. */
class ConnectionGroup {
  readonly #max: number
  readonly #maxUnreadBytes: number
  #size = 0
  /** Bytes that the peers may not have read. Each sweep counts them again. */
  unread = 0
  /** Idle connections with at most one request so far, longest idle first. */
  readonly idle = new Set<Connection>()
  /** Idle connections that their peers reuse, and since when they are idle, milliseconds. */
  readonly kept = new Map<Connection, number>()
  /** Connections with peers that read nothing of their answers, longest stalled first. */
  readonly stalled = new Set<Connection>()

  constructor(max: number, maxUnreadBytes: number) {
    this.#max = max
    this.#maxUnreadBytes = maxUnreadBytes
  }

  get exceedsUnread(): boolean {
    return this.unread > this.#maxUnreadBytes
  }

  /** Connections that can be closed without cutting off a request, and that may hold much memory. */
  get unreading(): Connection[] {
    return [...this.idle, ...this.stalled, ...this.kept.keys()].filter(({ unread }) => unread >= MUCH)
  }

  get isFull(): boolean {
    return this.#size >= this.#max
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /**
   * The connection to close if there is no room for another: idle, then stalled, then reused; undefined if none can be
   * closed.
   */
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
    if (!this.kept.delete(connection)) this.idle.delete(connection)
  }

  remove(connection: Connection): void {
    this.#size--
    this.wake(connection)
    this.stalled.delete(connection)
  }
}

/**
 * Why a connection was closed: there was no room for it (refused), a new one took its place (displaced), it sent too
 * many requests at once (pipelining), its peer left too many bytes unread (unread), or a problem of its own.
 */
export type Ending = 'refused' | 'displaced' | 'pipelining' | 'unread' | Problem

/**
 * All connections of a server. Limits their number, in total and per remote address. Also limits the requests that wait on
 * them, and the bytes of answers that their peers leave unread.
 */
export class Connections {
  readonly #options: ServerOptions
  readonly #now: () => number
  readonly #all: ConnectionGroup
  readonly #byAddress = new Map<string, ConnectionGroup>()
  readonly #open = new Map<
    Socket,
    { connection: Connection; groups: readonly [ConnectionGroup, ConnectionGroup]; address: string }
  >()
  /** Requests that wait for the answer to an earlier one, on all connections. */
  #waiting = 0
  #ended: Partial<Record<Ending, number>> = {}

  /** @param now milliseconds of a clock that never goes back */
  constructor(options: ServerOptions, now: () => number) {
    this.#options = options
    this.#now = now
    this.#all = new ConnectionGroup(options.maxConnections, options.maxUnreadBytes)
  }

  /** Open connections. */
  get size(): number {
    return this.#open.size
  }

  /** Admits a new connection. If there is no room, closes a dispensable one, or else the new one. */
  admit(socket: Socket): void {
    const address = addressGroupOf(socket.remoteAddress)
    const { maxConnectionsPerAddress, maxUnreadBytesPerAddress } = this.#options
    const ofAddress =
      this.#byAddress.get(address) ?? new ConnectionGroup(maxConnectionsPerAddress, maxUnreadBytesPerAddress)
    for (const group of [ofAddress, this.#all]) {
      if (!group.isFull) continue
      const dispensable = group.dispensable(this.#now())
      this.#count(dispensable === undefined ? 'refused' : 'displaced')
      if (dispensable === undefined) return void socket.resetAndDestroy()
      this.#end(dispensable)
    }
    const groups = [this.#all, ofAddress] as const
    const connection = new Connection(socket, this.#options, this.#watcher, this.#now())
    this.#byAddress.set(address, ofAddress)
    this.#open.set(socket, { connection, groups, address })
    for (const group of groups) group.add(connection)
    socket.once('close', () => this.#forget(connection))
  }

  readonly #watcher = {
    turned: (connection: Connection, busy: boolean): void => {
      const now = busy ? 0 : this.#now()
      for (const group of this.#groupsOf(connection)) {
        if (busy) group.wake(connection)
        else group.rest(connection, now)
      }
    },
    waiting: (change: number): void => {
      this.#waiting += change
    },
  }

  /** Serves the requests of a connection one at a time. */
  serving =
    (listener: RequestListener): RequestListener =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { maxPipelined, maxPipelinedOfAll } = this.#options
      const connection = this.#open.get(request.socket)?.connection
      if (connection === undefined) return
      connection.serve({ request, response, listener })
      // A client that sends requests one after another is never affected by clients that pipeline.
      const tooMany = connection.waiting > maxPipelined || this.#waiting > maxPipelinedOfAll
      if (tooMany && connection.waiting > 0) this.#endFor('pipelining', connection)
    }

  /** The connection of a socket, unless it is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)?.connection
  }

  /** Connections that were ended since the last call, by reason. */
  takeEnded(): Partial<Record<Ending, number>> {
    const ended = this.#ended
    this.#ended = {}
    return ended
  }

  /** Closes connections that exceed a limit. Must be called regularly. */
  sweep(): void {
    const now = this.#now()
    for (const group of this.#groups()) group.unread = 0
    for (const { connection, groups } of this.#open.values()) {
      const problem = connection.problem(now)
      if (problem !== undefined) {
        this.#endFor(problem, connection)
        continue
      }
      const isStalled = connection.stalledMs(now) > 0
      const { unread } = connection
      for (const group of groups) {
        group.unread += unread
        if (isStalled) group.stalled.add(connection)
        else group.stalled.delete(connection)
      }
    }
    for (const group of this.#groups()) if (group.exceedsUnread) this.#relieve(group)
  }

  /** Closes connections until the group's unread bytes are within the limit. */
  #relieve(group: ConnectionGroup): void {
    for (const connection of group.unreading) {
      if (!group.exceedsUnread) return
      for (const each of this.#groupsOf(connection)) each.unread -= connection.unread
      this.#endFor('unread', connection)
    }
  }

  /** Closes a connection at the end of its idle time. */
  expire(socket: Socket): void {
    const connection = this.#open.get(socket)?.connection
    if (connection === undefined) socket.destroy()
    else this.#end(connection)
  }

  #groups(): ConnectionGroup[] {
    return [this.#all, ...this.#byAddress.values()]
  }

  #groupsOf({ socket }: Connection): readonly ConnectionGroup[] {
    return this.#open.get(socket)?.groups ?? []
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
    for (const group of known.groups) group.remove(connection)
    const [, ofAddress] = known.groups
    if (ofAddress.isEmpty) this.#byAddress.delete(known.address)
  }
}
