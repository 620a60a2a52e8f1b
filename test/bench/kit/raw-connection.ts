import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawRequest = { method: string; path: string; headers?: Record<string, string>; body?: string }
export type RawAnswer = { status: number; body: string }

/** A request as bytes, made once and sent any number of times. */
export function bytesOf({ method, path, headers = {}, body = '' }: RawRequest): Buffer {
  const all = { Host: 'localhost', ...headers, ...(body && { 'Content-Length': Buffer.byteLength(body) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

const END_OF_HEAD = '\r\n\r\n'

/**
 * A kept-alive HTTP/1.1 connection that does as little as a client can, so that the server is measured and not the
 * client. It understands only answers with a Content-Length.
 */
export class RawConnection {
  readonly #socket: Socket
  #got = ''
  #answer: (answer: RawAnswer) => void = () => {}
  #fail: (error: Error) => void = () => {}

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1').on('data', (text: string) => this.#take(text))
    socket.on('close', () => this.#fail(new Error('the server closed a connection')))
    socket.on('error', (error) => this.#fail(error))
  }

  /** Sends one request and waits for its answer. Only one request may be under way. */
  send(bytes: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#fail = reject
      this.#socket.write(bytes)
    })
  }

  #take(text: string): void {
    this.#got += text
    const headEnd = this.#got.indexOf(END_OF_HEAD)
    if (headEnd < 0) return
    const head = this.#got.slice(0, headEnd)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const end = headEnd + END_OF_HEAD.length + length
    if (this.#got.length < end) return
    const body = this.#got.slice(headEnd + END_OF_HEAD.length, end)
    this.#got = this.#got.slice(end)
    this.#answer({ status: Number(head.slice(9, 12)), body })
  }

  close(): void {
    this.#fail = () => {}
    this.#socket.destroy()
  }
}
