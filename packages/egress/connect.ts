import { once } from 'node:events'
import { isIP, connect as netConnect, type Socket } from 'node:net'
import { type SecureContext, connect as tlsConnect } from 'node:tls'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'
import { unlessAborted } from '#packages/foundation/concurrency/unless-aborted.ts'
import { EgressError, toEgressError } from './egress-error.ts'
import { isPublicAddress } from './public-address.ts'

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>
/** A connected TCP socket to an address. */
export type Dial = (address: string, port: number, signal: AbortSignal) => Promise<Socket>
/** A bare connection to a host's port. The signal applies to connecting only. @throws EgressError and others */
export type Reach = (host: string, port: number, signal: AbortSignal) => Promise<Socket>

export type ConnectOptions = {
  /** Time for lookup, connection and TLS together, milliseconds. */
  connectTimeoutMs: number
  /** The trusted certificate authorities. Undefined: those of the system. */
  trust: SecureContext | undefined
}

const MAX_ADDRESSES_TRIED = 3

export const tcpDial: Dial = async (address, port, signal) => {
  const socket = netConnect({ host: address, port })
  try {
    // aborting ends only the connecting: an open socket outlives the signal
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  }
}

/**
 * Connects to public addresses only. It looks the name up once, and every address must be public. It connects to one
 * of these addresses, and checks the socket's remote address again (against DNS rebinding).
 */
export const guardedReach =
  ({ resolve, dial }: { resolve: Resolve; dial: Dial }): Reach =>
  async (host, port, signal) => {
    const addresses = await publicAddressesOf(host, resolve, signal)
    return firstOf(addresses, signal, (address) => dialChecked(address, port, dial, signal))
  }

/** The first addresses of a name. All must be public. @throws EgressError `refused_address` */
export async function publicAddressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  if (isIP(host) !== 0) throw new EgressError('refused_address', host)
  const addresses = await unlessAborted(resolve(host), signal)
  if (!addresses.every(isPublicAddress)) throw new EgressError('refused_address', host)
  return addresses.slice(0, MAX_ADDRESSES_TRIED)
}

/** Connects to the first reachable address. @throws the last failure; an EgressError about several addresses at once */
export async function firstOf(
  addresses: readonly string[],
  signal: AbortSignal,
  connect: (address: string) => Promise<Socket>,
): Promise<Socket> {
  let failure: unknown = new Error('the name has no address')
  for (const address of addresses) {
    try {
      return await connect(address)
    } catch (error) {
      const isOfAddress = !(error instanceof EgressError) || error.reason === 'no_connection'
      if (!isOfAddress || signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

/** Adapts a `Reach` to undici, with TLS for https. */
export function connector({ connectTimeoutMs, trust }: ConnectOptions, reach: Reach): buildConnector.connector {
  const connect = async ({ hostname, protocol, port }: buildConnector.Options): Promise<Socket> => {
    const host = hostname.replace(/\.$/, '')
    const signal = AbortSignal.timeout(connectTimeoutMs)
    const secure = protocol === 'https:'
    const socket = await reach(host, Number(port) || (secure ? 443 : 80), signal)
    return secure ? withTls(socket, host, trust, signal) : socket
  }
  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (error) => callback(toEgressError(error, options.hostname), null),
    )
  }
}

/** The connection must lead to the address that was checked. */
async function dialChecked(address: string, port: number, dial: Dial, signal: AbortSignal): Promise<Socket> {
  const socket = await dial(address, port, signal).catch((error: unknown) => {
    if (isRefusal(error)) throw new EgressError('no_connection', address, error)
    throw signal.aborted ? new EgressError('no_answer', address, error) : error
  })
  if (isSame(socket.remoteAddress, address)) return socket
  socket.destroy()
  throw new EgressError('refused_address', 'the connection did not reach the address that was checked')
}

/** Whether an address refused the connection, or its network reports no such host. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'EHOSTUNREACH')

const isSame = (reached: string | undefined, address: string): boolean =>
  reached !== undefined && ipaddr.process(reached).toString() === ipaddr.process(address).toString()

async function withTls(socket: Socket, servername: string, trust: SecureContext | undefined, signal: AbortSignal) {
  const secureContext = trust ? { secureContext: trust } : {}
  const secured = tlsConnect({ socket, servername, ALPNProtocols: ['http/1.1'], ...secureContext })
  try {
    await once(secured, 'secureConnect', { signal })
    return secured
  } catch (error) {
    secured.destroy()
    throw signal.aborted ? signal.reason : error
  }
}
