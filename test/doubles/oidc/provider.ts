import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onLoopback } from '#test/doubles/loopback-server.ts'

/** The person who is signed in at the provider. */
export type ProviderUser = { sub: string; email?: string; email_verified?: boolean }

type Asked = { redirectUri: string; challenge: string; nonce: string; clientId: string; user: ProviderUser }

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** @param own the token that the provider itself would make, and the key that verifies it */
export type Forge = (claims: object, own: { rightful: (claims: object) => string; publicKey: KeyObject }) => string

/** An id token with these claims, signed with a key. */
export function signedBy(privateKey: KeyObject, claims: object): string {
  const signed = `${base64({ alg: 'RS256', kid: 'k1' })}.${base64(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/**
 * An OpenID provider on loopback for tests: authorization code with PKCE, RS256. It asks for no password: everybody who
 * is redirected to it is `user`.
 */
export async function startOpenIdProvider({ clientId = 'us', clientSecret = 'a secret' } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rightful = (claims: object): string => signedBy(privateKey, claims)
  const codes = new Map<string, Asked>()
  const state = {
    user: { sub: 'u1', email: 'ada@example.com', email_verified: true } as ProviderUser,
    /** Claims that a test adds to the id token, or changes in it. */
    claims: {} as Record<string, unknown>,
    /** Replaces the provider's id token, as an attacker between it and us might do. */
    forge: undefined as Forge | undefined,
    /** The provider does not answer. */
    isAway: false,
  }
  const server = createServer((request, response) => {
    if (state.isAway) request.socket.destroy()
    else void answer(request, response)
  })
  const { port, ...closing } = await onLoopback(server)
  const issuer = `http://127.0.0.1:${port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', issuer)
    const json = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        })
      case '/keys':
        return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] })
      case '/authorize': {
        response.writeHead(303, { location: authorize(url.searchParams) }).end()
        return
      }
      case '/token': {
        const granted = grant(new URLSearchParams(await text(request)))
        return granted === undefined ? json({ error: 'invalid_grant' }, 400) : json(granted)
      }
      default:
        return json({ error: 'not_found' }, 404)
    }
  }

  /** The URL to which a browser that requests `/authorize` with these parameters is redirected. */
  function authorize(asked: URLSearchParams): string {
    const code = randomUUID()
    const param = (name: string): string => asked.get(name) ?? ''
    codes.set(code, {
      redirectUri: param('redirect_uri'),
      challenge: param('code_challenge'),
      nonce: param('nonce'),
      clientId: param('client_id'),
      user: state.user,
    })
    const back = new URL(param('redirect_uri'))
    back.searchParams.set('code', code)
    back.searchParams.set('state', param('state'))
    return back.href
  }

  function grant(form: URLSearchParams): object | undefined {
    const asked = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url')
    const isRight =
      asked?.challenge === challenge &&
      asked.redirectUri === form.get('redirect_uri') &&
      asked.clientId === clientId &&
      form.get('client_secret') === clientSecret
    if (!isRight) return undefined
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: clientId, iat: now, exp: now + 60, nonce: asked.nonce, ...asked.user }
    const sent = { ...claims, ...state.claims }
    const token = state.forge?.(sent, { rightful, publicKey }) ?? rightful(sent)
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: token }
  }

  return {
    issuer,
    options: { issuer, clientId, clientSecret, name: 'Our provider' },
    state,
    /** Acts as a browser that is redirected to the provider. @returns the query with which it comes back */
    async visit(url: URL): Promise<string> {
      const response = await fetch(url, { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? '').search
    },
    ...closing,
  }
}

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>
