import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { RefusedError } from '#packages/ports/unreachable.ts'
import { refused, tlsAdvice } from './refusals.ts'

/** What of a URL a handshake needs. */
export type Hosts = { hosts: readonly { host: string; port: number }[]; tls: boolean; caFile: string | undefined }

const defaultPort = 2113
/** The most hosts that are tried. */
const mostHosts = 8

/** The first of several hosts, behind any user and password, and the options. */
export function hostsOf(url: string): Hosts {
  const [, places = '', options = ''] = /^[^/]*\/\/(?:[^@]*@)?([^/?]*)\/?(?:\?(.*))?$/.exec(url) ?? []
  const given = new Map(
    options.split('&').map((option) => {
      const [name = '', value = ''] = option.split('=')
      return [name.toLowerCase(), decodeURIComponent(value)] as const
    }),
  )
  const hosts = places.split(',').map((place) => {
    const [, host = place, port = ''] = /^(.*?)(?::(\d+))?$/.exec(place) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
  })
  return { hosts, tls: given.get('tls')?.toLowerCase() !== 'false', caFile: given.get('tlscafile') }
}

type Handshake = 'done' | { error: unknown }

/** Tries a TLS handshake with one host. */
function handshake({ host, port }: Hosts['hosts'][number], ca: string | undefined, withinMs: number, verify: boolean) {
  return new Promise<Handshake>((resolve) => {
    const socket = connect({
      host,
      port,
      ALPNProtocols: ['h2'],
      rejectUnauthorized: verify,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
    })
    const end = (result: Handshake): void => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(withinMs, () => end({ error: new Error(`no handshake within ${withinMs} ms`) }))
    socket.once('secureConnect', () => end('done'))
    socket.once('error', (error) => end({ error }))
  })
}

/**
 * Why hosts that are there cannot be used, tried one by one by itself: the client says of several only that it found
 * none of them. Undefined where they are away, or nothing is wrong with their TLS.
 */
export async function probe({ hosts, tls, caFile }: Hosts, withinMs: number): Promise<RefusedError | undefined> {
  let ca: string | undefined
  try {
    ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  } catch (error) {
    return refused('the file that tlsCAFile in EVENT_STORE_URL names cannot be read', error)
  }
  for (const place of hosts.slice(0, mostHosts)) {
    const result = await handshake(place, ca, withinMs, tls)
    const alone = `${place.host}:${place.port}, tried by itself`
    if (!tls && result === 'done')
      return refused('it speaks TLS; take tls=false out of EVENT_STORE_URL', new Error(alone))
    if (!tls || result === 'done') continue
    const advice = tlsAdvice(result.error)
    if (advice !== undefined) return refused(advice, new Error(alone, { cause: result.error }))
  }
  return undefined
}
