import { once } from 'node:events'
import type { Server, Socket } from 'node:net'

/** Makes a TCP server listen on the loopback interface. Disposing of it cuts its connections. */
export async function onLoopback(server: Server): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
