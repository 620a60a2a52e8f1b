import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Names that only this process can have given away: each comes with a password made of it and of a secret. */
export type ProxyCredentials = {
  /** @param name letters, digits, dots */
  passwordOf(name: string): string
  /** The name in a `Proxy-Authorization` header that this process has made; undefined for any other header. */
  nameIn(header: string | undefined): string | undefined
}

/** Credentials that end with this process. Comparing takes the same time however much of a password is right. */
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
