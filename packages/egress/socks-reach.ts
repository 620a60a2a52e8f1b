import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import { firstOf, publicAddressesOf, type Reach, type Resolve } from './connect.ts'
import { EgressError } from './egress-error.ts'
import { portOf, proxyHostOf } from './next-hop.ts'

/**
 * Connects through a SOCKS5 proxy. With `socks5:` names are looked up here, every address must be public, and the
 * proxy gets an address. With `socks5h:` the proxy looks names up itself, as an HTTP proxy does.
 */
export function socksReach(proxy: URL, { resolve }: { resolve: Resolve }): Reach {
  if (proxy.protocol === 'socks5h:') return (host, port, signal) => throughSocks(proxy, { host, port }, signal)
  return async (host, port, signal) => {
    const addresses = await publicAddressesOf(host, resolve, signal)
    return firstOf(addresses, signal, (address) => throughSocks(proxy, { host: address, port }, signal))
  }
}

type Destination = { host: string; port: number }

async function throughSocks(proxy: URL, destination: Destination, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: proxyHostOf(proxy), port: portOf(proxy) })
  // the client below takes no signal: it fails once its socket is destroyed
  const end = () => void socket.destroy()
  try {
    await once(socket, 'connect', { signal })
    signal.addEventListener('abort', end, { once: true })
    await handshake(socket, proxy, destination)
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Whether the client reports reply 4 or 5 of RFC 1928. */
const isRefusal = (words: string): boolean => /(?:HostUnreachable|ConnectionRefused)$/.test(words)

async function handshake(socket: Socket, proxy: URL, destination: Destination): Promise<void> {
  const [userId, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)]
  const credentials = userId === '' && password === '' ? {} : { userId, password }
  try {
    await SocksClient.createConnection({
      proxy: { host: proxyHostOf(proxy), port: portOf(proxy), type: 5, ...credentials },
      command: 'connect',
      destination,
      existing_socket: socket,
    })
  } catch (error) {
    // the cause is left out, because it holds the credentials
    const words = error instanceof Error ? error.message : 'unknown'
    const message = `the egress proxy did not connect to ${destination.host}: ${words}`
    throw isRefusal(words) ? new EgressError('no_connection', message) : new Error(message)
  }
}
