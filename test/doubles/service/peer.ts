import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** One end of a TCP connection to a service. It reads nothing until `read` is called. */
export class Peer implements Disposable {
  readonly socket: Socket
  /** Everything read so far, as Latin-1. */
  got = ''
  /** Whether the service has ended the connection. It is noticed only by reading or writing. */
  closed = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.closed = true
    })
  }

  /** @param localAddress where it comes from, such as 127.0.0.2 */
  static open(base: string, localAddress?: string): Promise<Peer> {
    const { hostname, port } = new URL(base)
    const socket = connect({ host: hostname, port: Number(port), ...(localAddress !== undefined && { localAddress }) })
    socket.pause()
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Peer(socket))
      })
    })
  }

  /** Sends bytes unchanged; never waits until they are read. */
  write(bytes: string): this {
    if (!this.socket.destroyed) this.socket.write(bytes, 'latin1')
    return this
  }

  /** Reads everything from now on. */
  read(): this {
    this.socket.setEncoding('latin1').on('data', (text) => {
      this.got += text
    })
    this.socket.resume()
    return this
  }

  /** The status lines of the answers read so far. */
  get statuses(): number[] {
    return [...this.got.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status))
  }

  /** Reads until the service has ended the connection. */
  ended(seconds?: number): Promise<unknown> {
    this.read()
    return until('the service ends a connection', () => this.closed, seconds === undefined ? {} : { seconds })
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** Opens `count` peers, a hundred at a time because of the server's backlog. */
export async function openPeers(base: string, count: number, localAddress?: string): Promise<Peer[]> {
  const peers: Peer[] = []
  while (peers.length < count) {
    const some = Array.from({ length: Math.min(100, count - peers.length) }, () => Peer.open(base, localAddress))
    peers.push(...(await Promise.all(some)))
  }
  return peers
}

/** How many sockets a process has open. */
export const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

/** A GET request as bytes. */
export const get = (path: string, ...headers: string[]): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
