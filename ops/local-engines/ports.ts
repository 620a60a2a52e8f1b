import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'

const HOST = '127.0.0.1'

/** Below those that Linux gives to clients: while a server is stopped, no client of any program takes its port. */
const [FIRST, END] = [20_000, 32_768]

/** `count` different loopback ports on which nobody listens now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = new Map<number, Server>()
  while (servers.size < count) {
    const port = randomInt(FIRST, END)
    const server = createServer()
    const isFree = await once(server.listen(port, HOST), 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) servers.set(port, server)
  }
  await Promise.all([...servers.values()].map((server) => once(server.close(), 'close')))
  return [...servers.keys()]
}

/** Whether somebody listens on a loopback port. */
export async function isServed(port: number): Promise<boolean> {
  const socket = connect(port, HOST)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
