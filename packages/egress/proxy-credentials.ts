import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Credentials that only this process can issue. Each name has a password derived from it and a secret. */
export type ProxyCredentials = {
  /** @param name letters, digits, dots */
  passwordOf(name: string): string
  /** The name in a `Proxy-Authorization` header with valid credentials; undefined for any other header. */
  nameIn(header: string | undefined): string | undefined
}

/** Credentials that are valid as long as this process. Compares passwords in constant time. */
export function createProxyCredentials(): ProxyCredentials {
  const secret = randomBytes(32)
  const digestOf = (name: string): Buffer => createHmac('sha256', secret).update(name).digest()
  return {
    passwordOf: (name) => digestOf(name).toString('base64url'),
    nameIn(header = '') {
      const [, encoded = ''] = /^basic +([\w+/=-]+)$/i.exec(header) ?? []
      const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
      const [given, wanted] = [Buffer.from(password, 'base64url'), digestOf(name)]
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? name : undefined
    },
  }
}
