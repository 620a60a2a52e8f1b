import { readFileSync } from 'node:fs'
import type { RefusedError } from '#packages/ports/unreachable.ts'
import { firstWithTls, handshake, mostPlaces, type Place, placesOf } from '../tls-troubles.ts'
import { refused, tlsRefusalOf } from './calls/refusals.ts'

/** The parts of a URL that a handshake uses. */
export type Hosts = { places: readonly Place[]; tls: boolean; caFile: string | undefined }

const defaultPort = 2113

/** The hosts of a URL, without user and password, and its TLS options. */
export function hostsOf(url: string): Hosts {
  const [, places = '', options = ''] = /^[^/]*\/\/(?:[^@]*@)?([^/?]*)\/?(?:\?(.*))?$/.exec(url) ?? []
  const given = new Map(
    options.split('&').map((option) => {
      const [name = '', value = ''] = option.split('=')
      return [name.toLowerCase(), decodeURIComponent(value)] as const
    }),
  )
  return {
    places: placesOf(places, defaultPort),
    tls: given.get('tls')?.toLowerCase() !== 'false',
    caFile: given.get('tlscafile'),
  }
}

const alone = ({ host, port }: Place): string => `${host}:${port}, tried by itself`

/**
 * Why reachable hosts cannot be used. Each is tried alone: for several hosts the client reports only that it found
 * none. Undefined where they are away, or their TLS is in order.
 */
export async function probe({ places, tls, caFile }: Hosts, withinMs: number): Promise<RefusedError | undefined> {
  if (!tls) {
    const found = await firstWithTls(places, withinMs)
    return found && refused('it speaks TLS; take tls=false out of EVENT_STORE_URL', new Error(alone(found)))
  }
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  for (const place of places.slice(0, mostPlaces)) {
    const result = await handshake(place, ca, withinMs)
    if (result === 'done') continue
    const refusal = tlsRefusalOf(new Error(alone(place), { cause: result.error }))
    if (refusal !== undefined) return refusal
  }
  return undefined
}
