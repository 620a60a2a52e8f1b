import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Account, AccountTakenError, type Token } from '#packages/ports/accounts.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { emailOf } from './account-fields.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { linkOf, linkPaths } from './links.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'
import type { PasswordCheck } from './password-check.ts'
import { PerMinute } from './per-minute.ts'
import { putNewToken } from './put-new-token.ts'
import { tokenHash } from './secret-token.ts'
import type { SignedIn } from './sessions.ts'

const LINK_MS = 60 * 60 * 1000
const CHANGES_PER_MINUTE = 3

type Ports = Pick<AccountPorts, 'accounts' | 'counters' | 'clock'> & { check: PasswordCheck; mails: Mails }

/**
 * Changes the address of an account. If mails can be sent, the change waits for a link that is mailed to the new
 * address, and the old address is notified. Otherwise it takes effect at once, and the address counts as unverified:
 * no sign-in of the provider is linked to it.
 */
export class EmailChanges {
  readonly #ports: Ports
  readonly #options: Pick<AccountOptions, 'dashboardUrl'>
  readonly #perAccount: PerMinute

  constructor(ports: Ports, options: Pick<AccountOptions, 'dashboardUrl'>) {
    this.#ports = ports
    this.#options = options
    this.#perAccount = new PerMinute(ports.counters, 'dashboard-email-changes', CHANGES_PER_MINUTE)
  }

  /**
   * Requests a change of the address. Requires the password. An address that already has an account gets the same
   * answer, and another mail.
   * @returns whether a link was mailed; if not, the address is changed
   * @throws ServiceError invalid_request naming `email` or `password`, forbidden, rate_limited
   */
  async request(who: SignedIn, { email: typed, password }: { email: string; password: string }): Promise<boolean> {
    const { accounts, check, mails } = this.#ports
    const { id, email: old } = who.account
    const email = emailOf(typed)
    if (email === old) throw invalidRequest({ path: 'email', message: 'is already your address' })
    await this.#perAccount.assert(id)
    await check.assertAgain(who, password)
    if (!mails.isSet) {
      await this.#change(who, { from: old, to: email, verifiedAt: null })
      return false
    }
    const holder = await accounts.byEmail(email)
    const isFree = holder === undefined || holder.id === id
    const link = await this.#link(isFree ? id : null, who.account, email)
    const signIn = `${this.#options.dashboardUrl()}${linkPaths.signIn}`
    mails.send(isFree ? mailTexts.newAddress(email, link) : mailTexts.known(email, signIn))
    mails.send(mailTexts.addressChangeAsked(old, email))
    return true
  }

  /**
   * Carries out a change by its link, in a session of the same person. So a mistyped address gives the account to no
   * one. All other sessions end, and so do the links that were sent to the old address.
   * @throws ServiceError not_found
   */
  async confirm(who: SignedIn, token: string): Promise<void> {
    const { accounts, clock, mails } = this.#ports
    const hash = tokenHash(token)
    const found = await accounts.token(hash, clock.now())
    if (!isChangeOf(found, who.account)) throw linkIsOver()
    await accounts.takeToken(hash, clock.now())
    const { old: from = '' } = found.data
    await this.#change(who, { from, to: found.email, verifiedAt: clock.now() }).catch((error: unknown) => {
      // Another account already has the address.
      throw error instanceof ServiceError ? linkIsOver() : error
    })
    mails.send(mailTexts.addressChanged(from, found.email))
  }

  async #change(
    { account: { id, passwordHash }, session }: SignedIn,
    { from, to, verifiedAt }: { from: string; to: string; verifiedAt: number | null },
  ): Promise<void> {
    const { accounts } = this.#ports
    let isOurs = false
    const change = (account: Account): Account | undefined => {
      isOurs = account.email === from && account.passwordHash === passwordHash
      return isOurs ? { ...account, email: to, verifiedAt } : undefined
    }
    await accounts.update(id, change).catch((error: unknown) => {
      if (!(error instanceof AccountTakenError)) throw error
      throw invalidRequest({ path: 'email', message: 'already has an account' })
    })
    if (!isOurs) throw linkIsOver()
    for (const purpose of ['verify', 'reset', 'email'] as const) await accounts.dropTokens(id, purpose)
    await accounts.endSessions(id, session.hash)
  }

  async #link(accountId: string | null, { email: old, passwordHash }: Account, email: string): Promise<string> {
    const data = { old, password: sha256(passwordHash ?? '') }
    const token = await putNewToken(this.#ports, { purpose: 'email', accountId, email, data }, LINK_MS)
    return linkOf(this.#options.dashboardUrl(), 'email', token)
  }
}

/**
 * Whether a token is for this change. A person who learns of the request from the mail to the old address changes the
 * password. Then no link works any more.
 */
const isChangeOf = (
  token: Token | undefined,
  { id, email, passwordHash }: Account,
): token is Token & { email: string } =>
  token?.purpose === 'email' &&
  token.accountId === id &&
  token.email !== null &&
  token.data.old === email &&
  token.data.password === sha256(passwordHash ?? '')

const linkIsOver = (): ServiceError =>
  new ServiceError('not_found', 'This link no longer works. Ask for a new one on your account page.')
