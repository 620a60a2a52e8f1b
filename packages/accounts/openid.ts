import type { Configuration } from 'openid-client'
import type { ProviderOptions } from './account-ports.ts'

/** The longest wait for an answer of the provider, seconds. */
const ANSWER_WITHIN_SECONDS = 10

/** What a sign-in keeps between the redirect to the provider and the way back. */
export type Checks = { verifier: string; nonce: string; state: string }

/** Who the provider says it is. `email`: undefined unless the provider has verified it. */
export type ProvidedIdentity = { identity: string; email: string | undefined }

type Client = typeof import('openid-client')

/**
 * The protocol with the operator's OpenID provider: authorization code, PKCE, state and nonce, by openid-client, which also
 * checks the signature of each id token with the provider's keys. Loaded, and the provider asked for its addresses, at the
 * first sign-in.
 */
export class OpenId {
  readonly #options: ProviderOptions
  readonly #redirectUri: () => string
  #found: Promise<{ client: Client; configuration: Configuration }> | undefined

  constructor(options: ProviderOptions, redirectUri: () => string) {
    this.#options = options
    this.#redirectUri = redirectUri
  }

  /** Where the browser is sent. @throws Error the provider does not answer */
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

  /** @param query of the request by which the browser came back @throws Error it is not an answer to `checks` */
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
    const told = 'email' in claims ? claims : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    const { email, email_verified: isVerified } = told
    return {
      identity: JSON.stringify([claims.iss, claims.sub]),
      email: typeof email === 'string' && isVerified === true ? email : undefined,
    }
  }

  /** A provider that did not answer is asked again at the next sign-in. */
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
        // By default the library believes every token that the token endpoint hands out.
        client.enableNonRepudiationChecks,
        // An issuer without TLS is one on this machine: the configuration refuses any other.
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    })
    return { client, configuration }
  }
}
