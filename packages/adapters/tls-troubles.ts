import { isIP } from 'node:net'
import { connect } from 'node:tls'

/** Why TLS with a reachable server fails. */
export type TlsTrouble = 'other name' | 'expired' | 'not trusted' | 'no TLS'

const signs: readonly [pattern: RegExp, trouble: TlsTrouble][] = [
  [/altnames|ALTNAME/i, 'other name'],
  [/certificate has expired|CERT_HAS_EXPIRED/i, 'expired'],
  [/self[- ]signed|unable to (?:verify|get)|SELF_SIGNED|UNABLE_TO_|certificate verify failed/i, 'not trusted'],
  [/wrong version number|packet length too long|before secure TLS connection|EPROTO|SSL routines/i, 'no TLS'],
]

/** How deep to search the causes of an error. */
const mostCauses = 5

/** The TLS trouble in an error or its causes, by the codes and messages of Node, OpenSSL and the clients. */
export function tlsTroubleOf(error: unknown): TlsTrouble | undefined {
  const texts: string[] = []
  for (let each = error; each instanceof Error && texts.length < mostCauses; each = each.cause)
    texts.push(`${each.message} ${(each as { code?: unknown }).code ?? ''}`)
  const text = texts.join(' ')
  return signs.find(([pattern]) => pattern.test(text))?.[1]
}

/** What to do about a TLS trouble with the server of a URL, by the variable that contains the URL. */
export const tlsAdviceFor = (variable: string): Readonly<Record<TlsTrouble, string>> => ({
  'other name': `its certificate is for another name; ${variable} has to use the name that the certificate is for`,
  expired: 'its certificate has expired; give the server a new one',
  'not trusted': `its certificate is not trusted; let tlsCAFile in ${variable} name the file of the authority that signed it`,
  'no TLS': `it speaks no TLS; put tls=false into ${variable}, or let the server speak TLS`,
})

export type Place = { host: string; port: number }
export type Handshake = 'done' | { error: unknown }

/** How many hosts of a cluster to probe. */
export const mostPlaces = 8

/**
 * Tries a TLS handshake with one host.
 * @param ca trusted authorities, PEM; `any` accepts every certificate, to find out whether the host speaks TLS
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

/** Parses `host:port`, separated by commas. A missing port is the default one. */
export const placesOf = (hosts: string, defaultPort: number): Place[] =>
  hosts.split(',').map((place) => {
    const [, host = place, port = ''] = /^(.*?)(?::(\d+))?$/.exec(place.trim()) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
  })

/** The first of several hosts that speaks TLS; undefined if none of them does. */
export async function firstWithTls(places: readonly Place[], withinMs: number): Promise<Place | undefined> {
  for (const place of places.slice(0, mostPlaces))
    if ((await handshake(place, 'any', withinMs)) === 'done') return place
  return undefined
}
