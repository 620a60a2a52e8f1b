import { proxyUrlOf } from '#packages/egress/next-hop.ts'

/** One variable of the environment: its name, its meaning, and how to read its text. */
export type Variable<T> = { variable: string; meaning: string; fallback: T; isSecret?: true; parse(text: string): T }

/** The values of some variables, by the names that they have in the code. */
export type Values<S> = { -readonly [K in keyof S]: S[K] extends Variable<infer T> ? T : never }

/** A variable has an invalid value. */
export class ConfigError extends Error {
  readonly code = 'config_error'
}

/** A variable that may be in a file, which `NAME_FILE` names: Docker and Kubernetes provide secrets as files. */
export const secret = <T>(variable: Variable<T>): Variable<T> => ({ ...variable, isSecret: true })

/**
 * A variable whose value has a form. The error message does not show the value: it may contain a password.
 * @param wanted the form, in words
 * @param read undefined: the text does not have it
 */
const formed = <T, F>(
  variable: string,
  fallback: F,
  meaning: string,
  wanted: string,
  read: (text: string) => T | undefined,
): Variable<T | F> => ({
  variable,
  meaning,
  fallback,
  parse(text) {
    const value = read(text)
    if (value === undefined) throw new ConfigError(`${variable} must be ${wanted}`)
    return value
  },
})

/** A number between `min` and `max`, in the unit that the variable's name gives. */
export const number = <F extends number | undefined>(
  variable: string,
  fallback: F,
  meaning: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER, integer = true } = {},
): Variable<number | F> =>
  formed(variable, fallback, meaning, `a number from ${min} to ${max}`, (text) => {
    const value = Number(text)
    const fits = text.trim() !== '' && value >= min && value <= max && (!integer || Number.isInteger(value))
    return fits ? value : undefined
  })

/** An optional number. */
export const optionalNumber = (
  variable: string,
  meaning: string,
  limits: { min?: number; max?: number; integer?: boolean } = {},
): Variable<number | undefined> => number(variable, undefined, meaning, limits)

export const text = <F extends string | undefined>(
  variable: string,
  fallback: F,
  meaning: string,
): Variable<string | F> => ({ variable, meaning, fallback, parse: (value) => value })

/** Optional text. */
export const optional = (variable: string, meaning: string): Variable<string | undefined> =>
  text(variable, undefined, meaning)

/** Text that has a form. @param wanted the form, in words, for the error message */
export const matching = <F extends string | undefined>(
  variable: string,
  { pattern, wanted }: { pattern: RegExp; wanted: string },
  fallback: F,
  meaning: string,
): Variable<string | F> =>
  formed(variable, fallback, meaning, wanted, (value) => (pattern.test(value) ? value : undefined))

export const oneOf = <V extends string, F extends string | undefined = V>(
  variable: string,
  values: readonly V[],
  fallback: F,
  meaning: string,
): Variable<V | F> =>
  formed(variable, fallback, meaning, `one of ${values.join(', ')}`, (value) => values.find((one) => one === value))

/** An optional value out of several. */
export const optionalOneOf = (
  variable: string,
  values: readonly string[],
  meaning: string,
): Variable<string | undefined> => oneOf(variable, values, undefined, meaning)

/** An optional http(s) URL. */
export const optionalUrl = (variable: string, meaning: string): Variable<string | undefined> =>
  formed(variable, undefined, meaning, 'an http(s) URL', (value) =>
    /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined,
  )

/** An optional http(s) URL that callers see, with paths below it: no credentials, query or slash at its end. */
export const optionalBaseUrl = (variable: string, meaning: string): Variable<string | undefined> =>
  formed(variable, undefined, meaning, 'an http(s) URL without credentials and query', (value) => {
    const { protocol = '', origin, pathname, href } = URL.parse(value) ?? {}
    return /^https?:$/.test(protocol) && href === `${origin}${pathname}` ? href.replace(/\/+$/, '') : undefined
  })

/** An optional URL of an SMTP server. */
export const optionalSmtpUrl = (variable: string, meaning: string): Variable<string | undefined> =>
  formed(variable, undefined, meaning, 'smtp://[user:pass@]host:port, or smtps://', (value) => {
    const { protocol = '', hostname } = URL.parse(value) ?? {}
    return /^smtps?:$/.test(protocol) && hostname ? value : undefined
  })

/** An optional proxy URL, possibly with `{session}` and `{country}`. */
export const optionalProxy = (variable: string, meaning: string): Variable<string | undefined> =>
  formed(variable, undefined, meaning, 'http://, socks5:// or socks5h://[user:pass@]host:port', (value) =>
    proxyUrlOf(value, { session: 'session', country: 'us' }) ? value : undefined,
  )

/** An optional country, as the proxy's provider writes it: two letters. */
export const optionalCountry = (variable: string, meaning: string): Variable<string | undefined> =>
  matching(variable, { pattern: /^[a-z]{2}$/i, wanted: 'two letters, such as us' }, undefined, meaning)

/** Optional servers, `host:port,…`. */
export const optionalServers = (variable: string, meaning: string): Variable<readonly string[] | undefined> =>
  formed(variable, undefined, meaning, 'host:port, or several with commas', (value) => {
    const servers = value.split(',').map((server) => server.trim())
    return servers.every((server) => /^[\w.-]+:\d{1,5}$/.test(server)) ? servers : undefined
  })

/** Optional origins of web pages, `https://host[:port],…`. */
export const optionalOrigins = (variable: string, meaning: string): Variable<readonly string[] | undefined> => {
  const wanted = 'https://host or http://host:port without a path, or several with commas'
  return formed(variable, undefined, meaning, wanted, (value) => {
    const origins = value.split(',').map((origin) => origin.trim().toLowerCase())
    const isOrigin = (origin: string): boolean => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin
    return origins.every(isOrigin) ? origins : undefined
  })
}
