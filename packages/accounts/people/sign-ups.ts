import type { MadeKey } from '#packages/accounts/organizations/organizations.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Account, AccountTakenError, type Token } from '#packages/ports/accounts.ts'
import { emailOf, organizationNameOf } from './account-fields.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { assertGoodPassword } from './good-password.ts'
import { linkOf, linkPaths } from './links.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'
import type { Members } from './members.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { PerMinute } from './per-minute.ts'
import type { PromisedOrganizations } from './promised-organizations.ts'
import { putNewToken } from './put-new-token.ts'
import { tokenHash } from './secret-token.ts'
import type { Sessions } from './sessions.ts'
import { forFirstOwner, isSentTo, type SignUpRules } from './sign-up-rules.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * How long a link for confirmation works. An unconfirmed account is removed after seven days, so no link outlives its
 * account.
 */
const CONFIRM_LINK_MS = 6 * DAY_MS

const INVITATION_MS = 7 * DAY_MS

/** How long the first owner's invitation works. It is printed at the start of a service, and logs are kept. */
const FIRST_OWNER_MS = 60 * 60 * 1000

const SIGN_UPS_PER_MINUTE = 10

export type SignUp = {
  email: string
  password: string
  /** The name of the new organization. Ignored if an invitation leads to an existing one. */
  organization: string
  /** The token of an invitation. */
  invitation?: string | undefined
  /** The remote address. */
  address: string
}

export type SignedUp =
  /** A mail was sent, whether the address has an account or not. */
  | { type: 'confirm' }
  /** `session`: its token. `key`: the first key of the new organization; undefined if there is no new one. */
  | { type: 'signed-up'; account: Account; session: string; key: MadeKey | undefined }

type Ports = Pick<AccountPorts, 'accounts' | 'store' | 'counters' | 'clock' | 'ids'> & {
  hasher: PasswordHasher
  mails: Mails
  members: Members
  sessions: Sessions
  rules: SignUpRules
  promises: PromisedOrganizations
}

/**
 * Creates accounts. The account is stored first, with the id and the name of its promised organization. Then the
 * organization is registered (promised-organizations.ts). If mails can be sent, the organization waits until the
 * address is confirmed, unless an invitation was sent there.
 */
export class SignUps {
  readonly #ports: Ports
  readonly #options: Pick<AccountOptions, 'dashboardUrl'>
  readonly #perAddress: PerMinute

  constructor(ports: Ports, options: Pick<AccountOptions, 'dashboardUrl'>) {
    this.#ports = ports
    this.#options = options
    this.#perAddress = new PerMinute(ports.counters, 'dashboard-sign-ups', SIGN_UPS_PER_MINUTE)
  }

  /**
   * If an address must be confirmed, a known one gets the same answer through the same calls, and another mail.
   * @throws ServiceError invalid_request naming the field, forbidden (SIGNUP), not_found (the invitation),
   *   rate_limited, unavailable (the account exists, and its organization follows automatically)
   */
  async signUp({ email: typed, password, organization, invitation: token, address }: SignUp): Promise<SignedUp> {
    const { store, rules, hasher, mails } = this.#ports
    await this.#perAddress.assert(address)
    assertStoreIntact(store)
    const email = emailOf(typed)
    const invitation = token === undefined ? undefined : await rules.invitation(tokenHash(token))
    rules.assertAllowed(invitation, email)
    const name = invitation?.gives ? null : organizationNameOf(organization)
    assertGoodPassword(password, { email })
    await rules.takeFirst(invitation)
    const isProven = invitation !== undefined && isSentTo(invitation, email)
    const account = this.#account({ email, name, isProven, passwordHash: await hasher.hash(password) })
    const isNew = await this.#create(account)
    if (mails.isSet && !isProven) {
      await this.#askToConfirm(account, isNew, invitation)
      return { type: 'confirm' }
    }
    if (!isNew) throw invalidRequest({ path: 'email', message: 'already has an account: sign in' })
    if (invitation !== undefined) await this.#use(invitation, account)
    return this.#begun(account.id)
  }

  /** Mails the link again to a person who signed in with the right password but has not confirmed the address. */
  async remind({ id, email }: Account): Promise<void> {
    this.#ports.mails.send(mailTexts.verify(email, await this.#confirmLink(id, email)))
  }

  /**
   * Confirms an address, and creates the organization that waits for it. Call it from a form, not when the link
   * opens: programs that check mails open links.
   * @returns the organization's first key; undefined if there is no new one
   * @throws ServiceError not_found, rate_limited, unavailable (no room today: the link still works tomorrow)
   */
  async verify(token: string): Promise<{ account: Account; key: MadeKey | undefined }> {
    const { accounts, clock, rules } = this.#ports
    const hash = tokenHash(token)
    const found = await accounts.token(hash, clock.now())
    const account =
      found?.purpose === 'verify' && found.accountId !== null ? await accounts.get(found.accountId) : undefined
    if (account === undefined || account.email !== found?.email) throw linkIsOver()
    if (account.verifiedAt === null && account.promised !== null) await rules.takePlace(account.id)
    const verified = await accounts.update(account.id, (now) =>
      now.verifiedAt === null ? { ...now, verifiedAt: clock.now() } : undefined,
    )
    if (verified === undefined) throw linkIsOver()
    await this.#join(verified, found?.data.invitation)
    await accounts.takeToken(hash, clock.now())
    const key = await this.#keep(verified)
    return { account: (await accounts.get(account.id)) ?? verified, key }
  }

  /**
   * Invites a person to sign up, for an operator: seven days, once, with this address only.
   * @returns the link, for the operator to hand on @throws ServiceError invalid_request naming `email`
   */
  async invite(to: string): Promise<string> {
    const token = await putNewToken(this.#ports, { purpose: 'invite', email: emailOf(to) }, INVITATION_MS)
    return linkOf(this.#options.dashboardUrl(), 'invite', token)
  }

  /**
   * Invites the person who opens the link to create the first organization, whatever SIGNUP says: one hour, once.
   * @returns undefined if an organization has an owner
   */
  async inviteFirstOwner(): Promise<string | undefined> {
    if (await this.#ports.rules.hasOwner()) return undefined
    const token = await putNewToken(this.#ports, { purpose: 'invite', data: forFirstOwner }, FIRST_OWNER_MS)
    return linkOf(this.#options.dashboardUrl(), 'invite', token)
  }

  /** Finishes sign-ups that a crash interrupted. Called at start, and every minute. */
  finishPromises(): Promise<void> {
    return this.#ports.promises.finish()
  }

  #account(of: { email: string; name: string | null; isProven: boolean; passwordHash: string }): Account {
    const { ids, clock } = this.#ports
    const { email, name, isProven, passwordHash } = of
    return {
      id: ids.uuid(),
      email,
      passwordHash,
      identity: null,
      verifiedAt: isProven ? clock.now() : null,
      isOperator: false,
      memberships: [],
      promised: name === null ? null : { orgId: ids.uuid(), name },
      createdAt: clock.now(),
    }
  }

  async #create(account: Account): Promise<boolean> {
    try {
      await this.#ports.accounts.create(account)
      return true
    } catch (error) {
      if (error instanceof AccountTakenError) return false
      throw error
    }
  }

  async #use(invitation: Token, account: Account): Promise<void> {
    if (invitation.gives !== null) await this.#ports.members.acceptHash(invitation.hash, account)
    else await this.#ports.accounts.takeToken(invitation.hash, this.#ports.clock.now())
  }

  /**
   * Stores and mails a link to confirm an address. For a known address the link has no account. Its invitation is used
   * once the link is opened. So an organization sees no unconfirmed address as a member's, and does not learn which
   * ones have an account.
   */
  async #askToConfirm({ id, email }: Account, isNew: boolean, invitation: Token | undefined): Promise<void> {
    const link = await this.#confirmLink(isNew ? id : null, email, invitation && { invitation: invitation.hash })
    const signIn = `${this.#options.dashboardUrl()}${linkPaths.signIn}`
    this.#ports.mails.send(isNew ? mailTexts.verify(email, link) : mailTexts.known(email, signIn))
  }

  /**
   * Joins the organization of an invitation. If the invitation is over by now, nothing happens: the address is still
   * confirmed.
   */
  async #join(account: Account, invitation: string | undefined): Promise<void> {
    if (invitation === undefined) return
    await this.#ports.members.acceptHash(invitation, account).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    })
  }

  async #confirmLink(accountId: string | null, email: string, data: Token['data'] = {}): Promise<string> {
    const token = await putNewToken(this.#ports, { purpose: 'verify', accountId, email, data }, CONFIRM_LINK_MS)
    return linkOf(this.#options.dashboardUrl(), 'verify', token)
  }

  async #begun(accountId: string): Promise<SignedUp> {
    const { accounts, sessions } = this.#ports
    const stored = await accounts.get(accountId)
    if (stored === undefined) throw new Error('an account is gone right after its sign-up')
    const key = await this.#keep(stored)
    const account = (await accounts.get(accountId)) ?? stored
    return { type: 'signed-up', account, session: await sessions.begin(accountId), key }
  }

  async #keep(account: Account): Promise<MadeKey | undefined> {
    try {
      return await this.#ports.promises.keep(account)
    } catch (cause) {
      const message = 'Your account is there, and its organization follows by itself: sign in in a minute.'
      throw new ServiceError('unavailable', message, { retryAfterSeconds: 60, cause })
    }
  }
}

const linkIsOver = (): ServiceError =>
  new ServiceError('not_found', 'This link no longer works. Sign in: we mail you a new one if you need it.')
