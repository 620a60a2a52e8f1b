/** The first hop of the requests of a platform and a session. */
export type NextHop = {
  /** Unique in this process: `platform`, or `platform.session`. */
  name: string
  /** The exit address: `direct`, or `host:port`, with country and session if the proxy has them. Never a credential. */
  address: string
  /** Which proxy it is, if any. */
  via: 'direct' | 'proxy' | 'platform_proxy'
  /** Every session has its own exit address. */
  hasSession: boolean
  /** Undefined: connect to the host directly. */
  proxy: URL | undefined
}

/** The configured next hops. */
export type NextHops = {
  of(platform: string | undefined, session: string): NextHop
  /** The next hop with this name. */
  named(name: string): NextHop
}

/** The configured proxies and countries: for everything, and by platform. */
export type ProxySettings = {
  /** Next hop of all requests, `http://[user:pass@]host:port` or SOCKS5, maybe with `{session}` and `{country}`. */
  proxy: string | undefined
  /** Next hops of single platforms, which take precedence. */
  platformProxies: Readonly<Record<string, string | undefined>>
  /** Replaces `{country}` in a proxy's URL. */
  country?: string | undefined
  /** Countries of single platforms, which take precedence. */
  platformCountries?: Readonly<Record<string, string | undefined>>
}

/** The values for the placeholders of a proxy's URL. */
type Filling = { session: string; country: string }

const SESSION = '{session}'
/** The placeholder for a country in a proxy's URL. */
export const COUNTRY = '{country}'
/** The name of the hop for everything without its own. */
const SHARED = 'any'
/** The port if a proxy's URL names none. `socks5h`: the proxy looks names up itself. */
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'socks5:': 1080, 'socks5h:': 1080 }

export const portOf = ({ port, protocol }: URL): number => Number(port) || (defaultPorts[protocol] ?? 0)

/** The host of a proxy, as a socket connects to it. */
export const proxyHostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * A proxy's URL, `http://[user:pass@]host:port` or with `socks5://` or `socks5h://`, with session and country filled
 * in. Undefined if it is invalid, or has a placeholder in an invalid place (the port).
 */
export function proxyUrlOf(template: string, { session, country }: Filling): URL | undefined {
  const url = URL.parse(template.replaceAll(SESSION, session).replaceAll(COUNTRY, country))
  if (!url || !Object.hasOwn(defaultPorts, url.protocol) || url.hostname === '') return undefined
  const isBare = (url.pathname === '/' || url.pathname === '') && url.search === '' && url.hash === ''
  return isBare && canDecode(url.username) && canDecode(url.password) ? url : undefined
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/** One configured proxy. */
type Slot = { name: string; via: NextHop['via']; template: string | undefined; country: string | undefined }

/** @throws Error for an invalid proxy URL, or one that lacks its country, without showing it */
export function createNextHops({ proxy, platformProxies, country, platformCountries = {} }: ProxySettings): NextHops {
  const slots = new Map<string, Slot>()
  const add = (name: string, via: Slot['via'], template: string | undefined) => {
    const slot = { name, via, template, country: platformCountries[name] ?? country }
    hopOf(slot, 'a')
    slots.set(name, slot)
  }
  // a platform with its own country uses the proxy for everything, but as a hop of its own
  for (const name of Object.keys(platformCountries))
    if (platformCountries[name] !== undefined && proxy?.includes(COUNTRY)) add(name, 'proxy', proxy)
  for (const [name, template] of Object.entries(platformProxies))
    if (template !== undefined) add(name, 'platform_proxy', template)
  const shared = { name: SHARED, via: proxy === undefined ? 'direct' : 'proxy', template: proxy, country } as const
  hopOf(shared, 'a')
  return {
    of: (platform = SHARED, session) => hopOf(slots.get(platform) ?? shared, session),
    named(name) {
      const [slot = '', session = ''] = name.split('.')
      return hopOf(slots.get(slot) ?? shared, session)
    },
  }
}

function hopOf({ name, via, template, country }: Slot, session: string): NextHop {
  if (template === undefined) return { name, address: 'direct', via: 'direct', hasSession: false, proxy: undefined }
  const hasSession = template.includes(SESSION)
  const hasCountry = template.includes(COUNTRY)
  if (hasSession && !/^[a-z\d]{1,64}$/i.test(session)) throw new Error('a session has letters and digits only')
  if (hasCountry && country === undefined) throw new Error(`the proxy of ${name} has {country}, and no country is set`)
  const proxy = proxyUrlOf(template, { session, country: country ?? '' })
  if (!proxy) throw new Error(`the proxy of ${name} must be http://, socks5:// or socks5h://[user:pass@]host:port`)
  const host = `${proxy.hostname}:${portOf(proxy)}`
  // a country in the host is part of the exit address already
  const hostPart = template.slice(template.lastIndexOf('@') + 1)
  const shown = [
    hasCountry && !hostPart.includes(COUNTRY) && country,
    hasSession && !hostPart.includes(SESSION) && session,
  ]
  const suffix = shown.filter((part) => typeof part === 'string').join('.')
  return {
    name: hasSession ? `${name}.${session}` : name,
    address: suffix === '' ? host : `${host}#${suffix}`,
    via,
    hasSession,
    proxy,
  }
}
