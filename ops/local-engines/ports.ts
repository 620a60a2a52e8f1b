import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'

const HOST = '127.0.0.1'

/** Below those that Linux gives to clients: while a server is stopped, no client of any program takes its port. */
const [FIRST, END] = [20_000, 32_768]

/**
 * Takes the UDP port of this number, which no server of ours uses, for as long as this process lives: a port that was
 * given to one process is given to no other before its server listens, nor while it is stopped.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  try {
    const bound = once(socket, 'listening')
    socket.bind({ port, address: HOST, exclusive: true })
    await bound
    return true
  } catch {
    socket.close()
    return false
  }
}

/** `count` different loopback ports on which nobody listens now, and which no other process was given. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = new Map<number, Server>()
  while (servers.size < count) {
    const port = randomInt(FIRST, END)
    if (!(await claim(port))) continue
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
