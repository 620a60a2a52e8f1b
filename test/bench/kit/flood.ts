import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as rest } from 'node:timers/promises'

/** Requests as bytes, without the empty line at their end. */
type Flood = { connections: number; requests: readonly string[] }

/** An address that no customer uses: callers who share an address with a flood share its limits. */
export const FLOODS_FROM = '127.0.0.2'

/**
 * Keeps this many connections open, each with one request. It reads and drops the answers. When a connection ends,
 * another begins, until the signal is aborted.
 */
export async function flood(base: string, { connections, requests }: Flood, signal: AbortSignal): Promise<void> {
  let asked = 0
  const ask = async (): Promise<void> => {
    while (!signal.aborted) {
      const request = requests[asked++ % requests.length] as string
      // A refused connection is tried again soon.
      await exchange(base, request, signal).catch(() => rest(100))
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
}

async function exchange(base: string, request: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port), localAddress: FLOODS_FROM })
  const leave = (): void => void socket.destroy()
  signal.addEventListener('abort', leave)
  try {
    socket.resume().write(`${request}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
