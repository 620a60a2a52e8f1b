import { connect, createServer, type Socket } from 'node:net'

/** How a connection is lost: as from a server that was killed, or from one that closes it. */
export type Loss = 'reset' | 'closed'

export type ResettingProxy = AsyncDisposable & {
  port: number
  /** How many connections it has cut. */
  readonly cuts: number
  /** Cuts the next connections once they have sent so many bytes more. */
  cut(next: { connections: number; afterBytes: number; by: Loss }): void
}

/** Stands between a driver and a server on the loopback interface, and can cut connections in the middle of a write. */
export async function startResettingProxy(serverPort: () => number): Promise<ResettingProxy> {
  const sockets = new Set<Socket>()
  let [left, bytesLeft, cuts] = [0, 0, 0]
  let by: Loss = 'reset'
  const keep = (socket: Socket): Socket =>
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined) && sockets.add(socket) && socket
  const server = createServer((client) => {
    const upstream = keep(connect(serverPort(), '127.0.0.1'))
    keep(client).on('data', (bytes: Buffer) => {
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
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as { port: number }).port,
    get cuts() {
      return cuts
    },
    cut(next) {
      left = next.connections
      bytesLeft = next.afterBytes
      by = next.by
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
