import { connect, createServer } from 'node:net'
import { onLoopback } from '../loopback-server.ts'

/** How a connection is lost: as if the server was killed, or as if it closed the connection. */
export type Loss = 'reset' | 'closed'

export type ResettingProxy = AsyncDisposable & {
  port: number
  /** How many connections it has cut. */
  readonly cuts: number
  /** Cuts the next connections once each has sent this many more bytes. */
  cut(next: { connections: number; afterBytes: number; by: Loss }): void
}

/** A proxy between a driver and a server on the loopback interface. It can cut connections in the middle of a write. */
export async function startResettingProxy(serverPort: () => number): Promise<ResettingProxy> {
  let [left, bytesLeft, cuts] = [0, 0, 0]
  let by: Loss = 'reset'
  const server = createServer((client) => {
    const upstream = connect(serverPort(), '127.0.0.1').on('error', () => undefined)
    client.on('data', (bytes: Buffer) => {
      if (left > 0) bytesLeft -= bytes.length
      if (left === 0 || bytesLeft > 0) return void upstream.write(bytes)
      left--
      cuts++
      upstream.destroy()
      if (by === 'reset') client.resetAndDestroy()
      else client.end()
    })
    upstream.on('data', (bytes: Buffer) => void client.write(bytes))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroySoon())
  })
  const { port, [Symbol.asyncDispose]: close } = await onLoopback(server)
  return {
    port,
    get cuts() {
      return cuts
    },
    cut(next) {
      left = next.connections
      bytesLeft = next.afterBytes
      by = next.by
    },
    [Symbol.asyncDispose]: close,
  }
}
