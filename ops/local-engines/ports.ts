import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'

const HOST = '127.0.0.1'

/** Below Linux' range for clients: while a server is stopped, no client of any program takes its port. */
const [FIRST, END] = [20_000, 32_768]

/**
 * Reserves a port number for the life of this process, by binding the UDP port of that number, which our servers do not
 * use. No other process gets the number before its server listens, or while it is stopped.
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

/** `count` different loopback ports that are free now and that no other process has reserved. */
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

/** Whether a server listens on a loopback port. */
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
