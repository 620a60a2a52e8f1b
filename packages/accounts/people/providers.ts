import type { MadeKey } from '#packages/accounts/organizations/organizations.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Account, AccountTakenError, type Token } from '#packages/ports/accounts.ts'
import { codeOf } from '#packages/telemetry/code-of.ts'
import { emailOf, isSameInAscii, organizationNameOf } from './account-fields.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { linkPaths } from './links.ts'
import type { Members } from './members.ts'
import { type Checks, OpenId, type ProvidedIdentity } from './openid.ts'
import { PerMinute } from './per-minute.ts'
import type { PromisedOrganizations } from './promised-organizations.ts'
import { tokenHash } from './secret-token.ts'
import type { SignIns } from './sign-ins.ts'
import type { SignUpRules } from './sign-up-rules.ts'

/** How long a sign-in may take from the redirect to the provider until the way back, milliseconds. */
const SIGN_IN_MS = 10 * 60 * 1000

/** The most sign-ins that one address begins. Each is stored until it is over. */
const BEGUN_PER_MINUTE = 20

const DEFAULT_ORGANIZATION = 'My organization'

type Ports = Pick<AccountPorts, 'accounts' | 'store' | 'counters' | 'clock' | 'ids' | 'log'> & {
  members: Members
  rules: SignUpRules
  promises: PromisedOrganizations
  signIns: SignIns
}

/**
 * `address`: the remote address. The others are for people without an account: the token of an invitation, and the
 * name of their new organization.
 */
export type ProviderSignIn = { address: string; invitation?: string | undefined; organization?: string | undefined }

/** Signs people in with the operator's OpenID provider. */
export class Providers {
  readonly #ports: Ports
  readonly #openId: OpenId | undefined
  readonly #perAddress: PerMinute
  /** The name on the button. Undefined without a provider. */
  readonly name: string | undefined

  constructor(ports: Ports, { provider, dashboardUrl }: Pick<AccountOptions, 'provider' | 'dashboardUrl'>) {
    this.#ports = ports
    this.#perAddress = new PerMinute(ports.counters, 'dashboard-providers', BEGUN_PER_MINUTE)
    this.name = provider?.name
    this.#openId = provider && new OpenId(provider, () => `${dashboardUrl()}${linkPaths.provider}`)
  }

  /**
   * @returns where to send the browser, and the state. The page keeps the state in a cookie of this browser, so that
   *   another person's link signs no one in
   * @throws ServiceError not_found (no provider), unavailable (it does not answer), invalid_request, rate_limited
   */
  async begin({ address, invitation, organization }: ProviderSignIn): Promise<{ url: URL; state: string }> {
    await this.#perAddress.assert(address)
    const { accounts, clock } = this.#ports
    const name = organization === undefined ? DEFAULT_ORGANIZATION : organizationNameOf(organization)
    const { url, checks } = await this.#asked((openId) => openId.begin())
    const { verifier, nonce, state } = checks
    const invited = invitation === undefined ? {} : { invitation: tokenHash(invitation) }
    const now = clock.now()
    await accounts.putToken({
      hash: tokenHash(state),
      purpose: 'oidc',
      accountId: null,
      email: null,
      gives: null,
      data: { verifier, nonce, organization: name, ...invited },
      createdAt: now,
      expiresAt: now + SIGN_IN_MS,
    })
    return { url, state }
  }

  /**
   * @param query of the request that the browser came back with, such as `?code=…&state=…`
   * @param state from the cookie
   * @throws ServiceError not_found, forbidden (the address is not verified; SIGNUP), unavailable
   */
  async finish(query: string, state: string): Promise<{ account: Account; session: string; key: MadeKey | undefined }> {
    const token = await this.#ports.accounts.takeToken(tokenHash(state), this.#ports.clock.now())
    if (token?.purpose !== 'oidc') throw new ServiceError('not_found', 'This sign-in has ended. Start again.')
    const { verifier = '', nonce = '' } = token.data
    const checks: Checks = { verifier, nonce, state }
    const provided = await this.#asked((openId) => openId.finish(query, checks))
    const known = await this.#accountOf(provided)
    const account = known ?? (await this.#signUp(provided, token))
    if (known !== undefined) await this.#join(known, token)
    const key = known === undefined ? await this.#ports.promises.keep(account) : undefined
    return { ...(await this.#ports.signIns.begin(account)), key }
  }

  /** The account with this identity, or the account with its verified address, which is then linked. */
  async #accountOf({ identity, email }: ProvidedIdentity): Promise<Account | undefined> {
    const { accounts } = this.#ports
    const known = await accounts.byIdentity(identity)
    if (known !== undefined) return known
    if (email === undefined)
      throw refused('The provider has not verified your e-mail address; confirm it there, then sign in again.')
    // The provider has verified exactly these characters, not a normalised form of them.
    if (emailOf(email) !== email)
      throw refused('The provider spells your e-mail address in a way that cannot be used here; change it there.')
    const named = await accounts.byEmail(email)
    if (named === undefined) return undefined
    // Another person may have signed up with this address to get its owner's session later.
    if (named.verifiedAt === null || named.identity !== null || !isSameInAscii(named.email, email))
      throw refused('An account with this address exists: sign in with its password, or reset that.')
    return accounts.update(named.id, (account) => ({ ...account, identity }))
  }

  /** Joins the organization of the invitation that an account holder has opened. */
  async #join(account: Account, { data: { invitation: hash } }: Token): Promise<void> {
    const invitation = hash === undefined ? undefined : await this.#ports.rules.invitation(hash)
    if (invitation?.gives) await this.#ports.members.acceptHash(invitation.hash, account)
  }

  /** Signs a person up under the rules of SIGNUP. The provider has verified the address. */
  async #signUp({ identity, email = '' }: ProvidedIdentity, { data }: Token): Promise<Account> {
    const { accounts, store, clock, ids, rules, members } = this.#ports
    assertStoreIntact(store)
    const { invitation: hash, organization: name = DEFAULT_ORGANIZATION } = data
    const invitation = hash === undefined ? undefined : await rules.invitation(hash)
    rules.assertAllowed(invitation, email)
    await rules.takeFirst(invitation)
    if (invitation === undefined) await rules.takePlace(identity)
    const now = clock.now()
    const account: Account = {
      id: ids.uuid(),
      email: emailOf(email),
      passwordHash: null,
      identity,
      verifiedAt: now,
      isOperator: false,
      memberships: [],
      promised: invitation?.gives ? null : { orgId: ids.uuid(), name },
      createdAt: now,
    }
    await accounts.create(account).catch(takenMeanwhile)
    if (invitation?.gives) await members.acceptHash(invitation.hash, account)
    else if (invitation !== undefined) await accounts.takeToken(invitation.hash, now)
    return account
  }

  async #asked<T>(ask: (openId: OpenId) => Promise<T>): Promise<T> {
    if (this.#openId === undefined) throw new ServiceError('not_found', 'There is no other way to sign in here.')
    try {
      return await ask(this.#openId)
    } catch (error) {
      // The error's text may contain facts from the provider about a person.
      this.#ports.log.warn({ code: codeOf(error) }, 'the OpenID provider could not be asked, or its answer not be used')
      throw new ServiceError('unavailable', 'The provider did not sign you in; try again.', { retryAfterSeconds: 5 })
    }
  }
}

const refused = (message: string): ServiceError =>
  new ServiceError('forbidden', message, { details: { reason: 'provider' } })

function takenMeanwhile(error: unknown): never {
  if (!(error instanceof AccountTakenError)) throw error
  throw new ServiceError('unavailable', 'Your account was just created. Sign in again.', { retryAfterSeconds: 1 })
}
