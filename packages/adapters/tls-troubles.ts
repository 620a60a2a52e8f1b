import { isIP } from 'node:net'
import { connect } from 'node:tls'

/** Why a server that is there cannot be spoken to over TLS. */
export type TlsTrouble = 'other name' | 'expired' | 'not trusted' | 'no TLS'

const signs: readonly [pattern: RegExp, trouble: TlsTrouble][] = [
  [/altnames|ALTNAME/i, 'other name'],
  [/certificate has expired|CERT_HAS_EXPIRED/i, 'expired'],
  [/self[- ]signed|unable to (?:verify|get)|SELF_SIGNED|UNABLE_TO_|certificate verify failed/i, 'not trusted'],
  [/wrong version number|packet length too long|before secure TLS connection|EPROTO|SSL routines/i, 'no TLS'],
]

/** The most causes of an error that are looked at. */
const mostCauses = 5

/** What an error, or one of its causes, says of TLS, in the words of Node, OpenSSL and the clients. */
export function tlsTroubleOf(error: unknown): TlsTrouble | undefined {
  const texts: string[] = []
  for (let each = error; each instanceof Error && texts.length < mostCauses; each = each.cause)
    texts.push(`${each.message} ${(each as { code?: unknown }).code ?? ''}`)
  const text = texts.join(' ')
  return signs.find(([pattern]) => pattern.test(text))?.[1]
}

export type Place = { host: string; port: number }
export type Handshake = 'done' | { error: unknown }

/** The most hosts of a cluster that are tried one by one. */
export const mostPlaces = 8

/**
 * Tries a TLS handshake with one host.
 * @param ca authorities that are trusted, PEM; `any`: whatever it shows is taken, to see whether it speaks TLS
 */
export function handshake({ host, port }: Place, ca: string | 'any' | undefined, withinMs: number): Promise<Handshake> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: ca !== 'any',
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && ca !== 'any' && { ca }),
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

/** `host:port`, where several are separated by commas; a port that is missing is the default one. */
export const placesOf = (hosts: string, defaultPort: number): Place[] =>
  hosts.split(',').map((place) => {
    const [, host = place, port = ''] = /^(.*?)(?::(\d+))?$/.exec(place.trim()) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
  })

/** The first of several hosts that speaks TLS; undefined where none of them does. */
export async function firstWithTls(places: readonly Place[], withinMs: number): Promise<Place | undefined> {
  for (const place of places.slice(0, mostPlaces))
    if ((await handshake(place, 'any', withinMs)) === 'done') return place
  return undefined
}
