/** Where the requests of a platform and a session go first. */
export type NextHop = {
  /** Unique in this process: `platform`, or `platform.session`. */
  name: string
  /** The exit address: `direct`, or `host:port`, with the session where it has one. Never a credential. */
  address: string
  /** Whose proxy it is, if it is one. */
  via: 'direct' | 'proxy' | 'platform_proxy'
  /** Undefined: connect to the host directly. */
  proxy: URL | undefined
}

/** The configured next hops. */
export type NextHops = {
  of(platform: string | undefined, session: string): NextHop
  /** The next hop with this name. */
  named(name: string): NextHop
}

const PLACE = '{session}'
/** The name of the hop for everything without its own. */
const SHARED = 'any'

/**
 * A proxy's URL, `http://[user:pass@]host:port`, with the session filled in; undefined when it is invalid, or has
 * `{session}` where no session can be (in the port).
 */
export function proxyUrlOf(template: string, session: string): URL | undefined {
  const url = URL.parse(template.replaceAll(PLACE, session))
  const isBare = url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === ''
  return isBare && canDecode(url.username) && canDecode(url.password) ? url : undefined
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/**
 * @param shared proxy of all requests, maybe with `{session}`; undefined: no proxy
 * @param ofPlatform proxies of single platforms, which take precedence
 * @throws Error for an invalid proxy URL, without showing it
 */
export function createNextHops(
  shared: string | undefined,
  ofPlatform: Readonly<Record<string, string | undefined>>,
): NextHops {
  const templates = new Map([[SHARED, shared], ...Object.entries(ofPlatform).filter(([, url]) => url !== undefined)])
  for (const slot of templates.keys()) hopOf(slot, templates.get(slot), 'a')
  const at = (slot: string, session: string) => hopOf(slot, templates.get(slot), session)
  return {
    of: (platform, session) => at(platform !== undefined && templates.has(platform) ? platform : SHARED, session),
    named(name) {
      const [slot = '', session = ''] = name.split('.')
      return at(slot, session)
    },
  }
}

function hopOf(slot: string, template: string | undefined, session: string): NextHop {
  if (template === undefined) return { name: slot, address: 'direct', via: 'direct', proxy: undefined }
  const hasSession = template.includes(PLACE)
  if (hasSession && !/^[a-z\d]{1,64}$/i.test(session)) throw new Error('a session has letters and digits only')
  const proxy = proxyUrlOf(template, session)
  if (!proxy) throw new Error(`the proxy of ${slot} must be http://[user:pass@]host:port`)
  const host = `${proxy.hostname}:${proxy.port || 80}`
  const isInHost = proxy.hostname !== proxyUrlOf(template, `${session}x`)?.hostname
  return {
    name: hasSession ? `${slot}.${session}` : slot,
    address: hasSession && !isInHost ? `${host}#${session}` : host,
    via: slot === SHARED ? 'proxy' : 'platform_proxy',
    proxy,
  }
}
