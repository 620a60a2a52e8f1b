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

/** A number between `min` and `max`, in the unit that the variable's name gives. */
export const number = (
  variable: string,
  fallback: number,
  meaning: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER, integer = true } = {},
): Variable<number> => ({
  variable,
  meaning,
  fallback,
  parse(text) {
    const value = Number(text)
    const fits = text.trim() !== '' && value >= min && value <= max && (!integer || Number.isInteger(value))
    if (!fits) throw new ConfigError(`${variable} must be a number from ${min} to ${max}`)
    return value
  },
})

/** An optional number. */
export const optionalNumber = (
  variable: string,
  meaning: string,
  limits: { min?: number; max?: number; integer?: boolean } = {},
): Variable<number | undefined> => ({ ...number(variable, 0, meaning, limits), fallback: undefined })

export const text = (variable: string, fallback: string, meaning: string): Variable<string> => ({
  variable,
  meaning,
  fallback,
  parse: (value) => value,
})

/** Optional text. */
export const optional = (variable: string, meaning: string): Variable<string | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse: (value) => value,
})

/** Text that has a form. @param wanted the form, in words, for the error message */
export const matching = <F extends string | undefined>(
  variable: string,
  { pattern, wanted }: { pattern: RegExp; wanted: string },
  fallback: F,
  meaning: string,
): Variable<string | F> => ({
  variable,
  meaning,
  fallback,
  parse(value) {
    if (!pattern.test(value)) throw new ConfigError(`${variable} must be ${wanted}`)
    return value
  },
})

/** An optional http(s) URL. Its value is never shown: it may contain a password. */
export const optionalUrl = (variable: string, meaning: string): Variable<string | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
      throw new ConfigError(`${variable} must be an http(s) URL`)
    return value
  },
})

/** An optional http(s) URL that callers see, with paths below it: no credentials, query or slash at its end. */
export const optionalBaseUrl = (variable: string, meaning: string): Variable<string | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    const url = URL.parse(value)
    const { protocol, origin, pathname, href } = url ?? {}
    if (!/^https?:$/.test(protocol ?? '') || href !== `${origin}${pathname}`)
      throw new ConfigError(`${variable} must be an http(s) URL without credentials and query`)
    return href.replace(/\/+$/, '')
  },
})

/** An optional URL of an SMTP server. Its value is never shown, as above. */
export const optionalSmtpUrl = (variable: string, meaning: string): Variable<string | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    const { protocol, hostname } = URL.parse(value) ?? {}
    if (!/^smtps?:$/.test(protocol ?? '') || !hostname)
      throw new ConfigError(`${variable} must be smtp://[user:pass@]host:port, or smtps://`)
    return value
  },
})

/** An optional proxy URL, possibly with `{session}` and `{country}`. Its value is never shown, as above. */
export const optionalProxy = (variable: string, meaning: string): Variable<string | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    if (!proxyUrlOf(value, { session: 'session', country: 'us' }))
      throw new ConfigError(`${variable} must be http://, socks5:// or socks5h://[user:pass@]host:port`)
    return value
  },
})

/** An optional country, as the proxy's provider writes it: two letters. */
export const optionalCountry = (variable: string, meaning: string): Variable<string | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    if (!/^[a-z]{2}$/i.test(value)) throw new ConfigError(`${variable} must be two letters, such as us`)
    return value
  },
})

export const oneOf = <V extends string, F extends string = V>(
  variable: string,
  values: readonly V[],
  fallback: F,
  meaning: string,
): Variable<V | F> => ({
  variable,
  meaning,
  fallback,
  parse(value) {
    const found = values.find((one) => one === value)
    if (found === undefined) throw new ConfigError(`${variable} must be one of ${values.join(', ')}`)
    return found
  },
})

/** An optional value out of several. */
export const optionalOneOf = (
  variable: string,
  values: readonly string[],
  meaning: string,
): Variable<string | undefined> => ({ ...oneOf(variable, values, '', meaning), fallback: undefined })

/** Optional servers, `host:port,…`. */
export const optionalServers = (variable: string, meaning: string): Variable<readonly string[] | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    const servers = value.split(',').map((server) => server.trim())
    if (!servers.every((server) => /^[\w.-]+:\d{1,5}$/.test(server)))
      throw new ConfigError(`${variable} must be host:port, or several with commas`)
    return servers
  },
})

/** Optional origins of web pages, `https://host[:port],…`. */
export const optionalOrigins = (variable: string, meaning: string): Variable<readonly string[] | undefined> => ({
  variable,
  meaning,
  fallback: undefined,
  parse(value) {
    const origins = value.split(',').map((origin) => origin.trim().toLowerCase())
    if (!origins.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin))
      throw new ConfigError(
        `${variable} must be https://host or http://host:port without a path, or several with commas`,
      )
    return origins
  },
})
