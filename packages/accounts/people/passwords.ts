import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Account, addressKey } from '#packages/ports/accounts.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { assertGoodPassword } from './good-password.ts'
import { linkOf } from './links.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'
import type { PasswordCheck } from './password-check.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { PerMinute } from './per-minute.ts'
import { putNewToken } from './put-new-token.ts'
import { tokenHash } from './secret-token.ts'
import type { Sessions, SignedIn } from './sessions.ts'

const LINK_MS = 60 * 60 * 1000
const RESETS_PER_MINUTE = 10
const RESETS_OF_ONE_PER_MINUTE = 2

type Ports = Pick<AccountPorts, 'accounts' | 'counters' | 'clock'> & {
  hasher: PasswordHasher
  check: PasswordCheck
  sessions: Sessions
  mails: Mails
}

/** Changes passwords, and resets forgotten ones by a link. */
export class Passwords {
  readonly #ports: Ports
  readonly #options: Pick<AccountOptions, 'dashboardUrl'>
  readonly #perAddress: PerMinute
  readonly #perAccount: PerMinute

  constructor(ports: Ports, options: Pick<AccountOptions, 'dashboardUrl'>) {
    this.#ports = ports
    this.#options = options
    this.#perAddress = new PerMinute(ports.counters, 'dashboard-resets', RESETS_PER_MINUTE)
    this.#perAccount = new PerMinute(ports.counters, 'dashboard-resets-of-one', RESETS_OF_ONE_PER_MINUTE)
  }

  /**
   * Asks for the old password. Ends all other sessions, and all reset links.
   * @throws ServiceError invalid_request naming `current` or `password`, forbidden, rate_limited
   */
  async change(who: SignedIn, { current, password }: { current: string; password: string }): Promise<void> {
    const { accounts, check, sessions } = this.#ports
    assertGoodPassword(password, who.account)
    await check.assertAgain(who, current, 'current')
    await this.#replace(who.account, password)
    await accounts.dropTokens(who.account.id, 'reset')
    await sessions.endOthers(who)
  }

  /**
   * Mails a link that works for an hour, if the address has an account. Older links still work. Otherwise anyone
   * could disable a link that was just mailed. An unknown address gets the same answer through the same calls.
   * @throws ServiceError rate_limited
   */
  async requestReset({ email: typed, address }: { email: string; address: string }): Promise<void> {
    const { accounts, mails } = this.#ports
    await this.#perAddress.assert(address)
    const wanted = typed.trim()
    // So that a stranger cannot be flooded with mails.
    if (!(await this.#perAccount.allows(addressKey(wanted)))) return
    const account = await accounts.byEmail(wanted)
    const { id = null, email = null } = account ?? {}
    const link = await this.#link(id, email)
    if (account !== undefined) mails.send(mailTexts.reset(account.email, link))
  }

  /** The link, for an operator to hand on. @returns undefined if the address has no account */
  async resetLink(email: string): Promise<string | undefined> {
    const account = await this.#ports.accounts.byEmail(email.trim())
    return account && this.#link(account.id, null)
  }

  /**
   * Sets a new password with a link, once, and ends all sessions and links.
   * @throws ServiceError not_found, invalid_request naming `password`
   */
  async reset(token: string, password: string): Promise<Account> {
    const { accounts, clock } = this.#ports
    const hash = tokenHash(token)
    const { account, sentTo } = await this.#find(hash)
    assertGoodPassword(password, account)
    const passwordHash = await this.#ports.hasher.hash(password)
    if ((await accounts.takeToken(hash, clock.now())) === undefined) throw linkIsOver()
    const changed = await accounts.update(account.id, (now) => ({
      ...now,
      passwordHash,
      verifiedAt: this.#verifiedAt(now, sentTo),
    }))
    await accounts.dropTokens(account.id, 'reset')
    await accounts.endSessions(account.id)
    if (changed === undefined) throw linkIsOver()
    return changed
  }

  /**
   * A person who opens a mailed link has proved that the address is theirs. The exception: if an organization waits
   * for that, only the sign-up's mail confirms it, and takes one of the day's places.
   */
  #verifiedAt({ verifiedAt, promised, email }: Account, sentTo: string | null): number | null {
    return promised === null && sentTo === email ? (verifiedAt ?? this.#ports.clock.now()) : verifiedAt
  }

  async #find(hash: string): Promise<{ account: Account; sentTo: string | null }> {
    const { accounts, clock } = this.#ports
    const found = await accounts.token(hash, clock.now())
    if (found?.purpose !== 'reset' || found.accountId === null) throw linkIsOver()
    const account = await accounts.get(found.accountId)
    if (account === undefined) throw linkIsOver()
    return { account, sentTo: found.email }
  }

  /** Stores nothing if the password was reset meanwhile: the old one is no longer enough. */
  async #replace({ id, passwordHash: checked }: Account, password: string): Promise<void> {
    const passwordHash = await this.#ports.hasher.hash(password)
    let isOurs = false
    await this.#ports.accounts.update(id, (account) => {
      isOurs = account.passwordHash === checked
      return isOurs ? { ...account, passwordHash } : undefined
    })
    if (!isOurs) throw invalidRequest({ path: 'current', message: 'is not your password' })
  }

  async #link(accountId: string | null, email: string | null): Promise<string> {
    const token = await putNewToken(this.#ports, { purpose: 'reset', accountId, email }, LINK_MS)
    return linkOf(this.#options.dashboardUrl(), 'reset', token)
  }
}

const linkIsOver = (): ServiceError => new ServiceError('not_found', 'This link no longer works. Ask for a new one.')
