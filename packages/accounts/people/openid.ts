import type { Configuration } from 'openid-client'
import type { ProviderOptions } from './account-ports.ts'

/** The longest wait for an answer of the provider, seconds. */
const ANSWER_WITHIN_SECONDS = 10

/** The values that a sign-in stores between the redirect to the provider and the way back. */
export type Checks = { verifier: string; nonce: string; state: string }

/** The identity from the provider. `email`: undefined unless the provider has verified it. */
export type ProvidedIdentity = { identity: string; email: string | undefined }

type Client = typeof import('openid-client')

/**
 * The protocol with the operator's OpenID provider: authorization code, PKCE, state and nonce. It uses openid-client,
 * which also checks the signature of each id token with the provider's keys. Loads the library and discovers the
 * provider's addresses at the first sign-in.
 */
export class OpenId {
  readonly #options: ProviderOptions
  readonly #redirectUri: () => string
  #found: Promise<{ client: Client; configuration: Configuration }> | undefined

  constructor(options: ProviderOptions, redirectUri: () => string) {
    this.#options = options
    this.#redirectUri = redirectUri
  }

  /** The URL to which the browser is redirected. @throws Error if the provider does not answer */
  async begin(): Promise<{ url: URL; checks: Checks }> {
    const { client, configuration } = await this.#find()
    const checks = {
      verifier: client.randomPKCECodeVerifier(),
      nonce: client.randomNonce(),
      state: client.randomState(),
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri(),
      scope: 'openid email',
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    })
    return { url, checks }
  }

  /** @param query of the request that the browser came back with @throws Error if it does not answer `checks` */
  async finish(query: string, { verifier, nonce, state }: Checks): Promise<ProvidedIdentity> {
    const { client, configuration } = await this.#find()
    const back = new URL(this.#redirectUri())
    back.search = query
    const tokens = await client.authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      expectedState: state,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new Error('the provider gave no id token')
    const found =
      'email' in claims ? claims : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    const { email, email_verified: isVerified } = found
    return {
      identity: JSON.stringify([claims.iss, claims.sub]),
      email: typeof email === 'string' && isVerified === true ? email : undefined,
    }
  }

  /** If the provider does not answer, the next sign-in asks it again. */
  #find(): Promise<{ client: Client; configuration: Configuration }> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  async #discover(): Promise<{ client: Client; configuration: Configuration }> {
    const { issuer, clientId, clientSecret } = this.#options
    const client = await import('openid-client')
    const server = new URL(issuer)
    const configuration = await client.discovery(server, clientId, clientSecret, undefined, {
      timeout: ANSWER_WITHIN_SECONDS,
      execute: [
        // By default the library believes every token from the token endpoint.
        client.enableNonRepudiationChecks,
        // An issuer without TLS is on this machine: the configuration refuses any other.
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    })
    return { client, configuration }
  }
}
