import { once } from 'node:events'
import { request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { onLoopback } from '../loopback-server.ts'

/** A stand-in for an operator's SOCKS5 proxy (RFC 1928, 1929). It reaches the same hosts as an HTTP proxy. */
export type SocksProxy = AsyncDisposable & {
  /** `host:port`. */
  at: string
  /** The targets of its connections, `host:port`, with the user who asked. */
  asked: string[]
}

const NONE = 0
const PASSWORD = 2
const NO_METHOD = 0xff
const NAME = 3

/** @param password of every user; undefined: it asks for none */
export async function startSocksProxy(httpProxy: string, password?: string): Promise<SocksProxy> {
  const asked: string[] = []
  const serve = async (socket: Socket): Promise<void> => {
    const read = reader(socket)
    const [, count = 0] = await read(2)
    const method = password === undefined ? NONE : PASSWORD
    const isOffered = (await read(count)).includes(method)
    socket.write(Buffer.from([5, isOffered ? method : NO_METHOD]))
    if (!isOffered) return void socket.end()
    let user = 'nobody'
    if (password !== undefined) {
      const [, length = 0] = await read(2)
      user = (await read(length)).toString()
      const [lengthOfPassword = 0] = await read(1)
      const isRight = (await read(lengthOfPassword)).toString() === password
      socket.write(Buffer.from([1, isRight ? 0 : 1]))
      if (!isRight) return void socket.end()
    }
    const [, , , type] = await read(4)
    const host = type === NAME ? (await read((await read(1))[0] ?? 0)).toString() : [...(await read(4))].join('.')
    const target = `${host}:${(await read(2)).readUInt16BE()}`
    asked.push(`${user} ${target}`)
    const far = await tunnelTo(httpProxy, target)
    const status = far === undefined ? 5 : 0
    socket.write(Buffer.from([5, status, 0, 1, 0, 0, 0, 0, 0, 0]))
    if (far === undefined) return void socket.end()
    far.on('error', () => socket.destroy())
    far.on('close', () => socket.destroy())
    socket.on('close', () => far.destroy())
    socket.pipe(far).pipe(socket)
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    serve(socket).catch(() => socket.destroy())
  })
  const { port, [Symbol.asyncDispose]: close } = await onLoopback(server)
  return { at: `127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: close }
}

/** Reads exactly this many bytes. */
const reader = (socket: Socket) => async (count: number) => {
  for (;;) {
    const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : socket.read(count)
    if (bytes !== null) return bytes
    await once(socket, 'readable')
  }
}

async function tunnelTo(httpProxy: string, path: string): Promise<Socket | undefined> {
  const { hostname: host, port } = new URL(httpProxy)
  const asking = request({ host, port, method: 'CONNECT', path, agent: false })
  asking.end()
  const [{ statusCode }, socket] = await once(asking, 'connect')
  return statusCode === 200 ? socket : undefined
}
