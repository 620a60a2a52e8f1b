import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Account } from '#packages/ports/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import type { Mails } from './mails.ts'
import type { PasswordCheck } from './password-check.ts'
import { PerMinute } from './per-minute.ts'
import type { PromisedOrganizations } from './promised-organizations.ts'
import type { SecondFactors } from './second-factors.ts'
import type { Sessions } from './sessions.ts'
import type { SignUps } from './sign-ups.ts'

const SIGN_INS_PER_MINUTE = 20
const CODES_PER_MINUTE = 20

/** `address`: the remote address. */
export type SignIn = { email: string; password: string; address: string }

/**
 * The result of a sign-in by password. `session`: the session's token. `token`: for {@link SignIns.answer}, together
 * with the code of the second factor; it opens no session alone.
 */
export type SignedInOrAsked =
  | { type: 'signed-in'; account: Account; session: string }
  | { type: 'code-asked'; token: string }

type Ports = Pick<AccountPorts, 'accounts' | 'counters' | 'log'> & {
  check: PasswordCheck
  secondFactors: SecondFactors
  sessions: Sessions
  mails: Mails
  promises: PromisedOrganizations
  signUps: Pick<SignUps, 'remind'>
}

/** Signs people in by password: 20 a minute from one remote address, five wrong ones for one account. */
export class SignIns {
  readonly #ports: Ports
  readonly #perAddress: PerMinute
  readonly #codesPerAddress: PerMinute

  constructor(ports: Ports) {
    this.#ports = ports
    this.#perAddress = new PerMinute(ports.counters, 'dashboard-sign-ins', SIGN_INS_PER_MINUTE)
    this.#codesPerAddress = new PerMinute(ports.counters, 'dashboard-codes', CODES_PER_MINUTE)
  }

  /**
   * An unknown address and a wrong password get the same answer through the same calls.
   * @returns the account and its new session, or, if it has a second factor, the token to send its code with
   * @throws ServiceError unauthorized, rate_limited, forbidden (the address is not confirmed yet: the link is mailed
   *   again)
   */
  async signIn({ email: typed, password, address }: SignIn): Promise<SignedInOrAsked> {
    const { accounts, check, mails, signUps, secondFactors } = this.#ports
    const email = typed.trim()
    await this.#perAddress.assert(address)
    const account = await accounts.byEmail(email)
    const isRight = await check.matches(password, email, account)
    if (account === undefined || !isRight) throw wrong()
    if (account.verifiedAt === null && mails.isSet) {
      await signUps.remind(account)
      throw unconfirmed()
    }
    if (account.secondFactor !== undefined) return { type: 'code-asked', token: await secondFactors.ask(account) }
    return { type: 'signed-in', ...(await this.begin(account)) }
  }

  /**
   * Continues a sign-in that waits for a code.
   * @throws ServiceError not_found (it is over), invalid_request naming `code`, rate_limited, unauthorized
   */
  async answer({ token, code, address }: { token: string; code: string; address: string }): Promise<string> {
    await this.#codesPerAddress.assert(address)
    const { session } = await this.begin(await this.#ports.secondFactors.answer(token, code))
    return session
  }

  /** Begins a session for a person who has proved their identity, and finishes an interrupted sign-up. */
  async begin({ id, passwordHash }: Account): Promise<{ account: Account; session: string }> {
    const { accounts, sessions } = this.#ports
    const session = await sessions.begin(id)
    // A change of the password ends the sessions after it. A session that began with the old password meanwhile ends
    // here.
    const account = await accounts.get(id)
    if (account === undefined || account.passwordHash !== passwordHash) {
      await sessions.end(session)
      throw wrong()
    }
    await this.#keepPromise(account)
    return { account: (await accounts.get(id)) ?? account, session }
  }

  async #keepPromise(account: Account): Promise<void> {
    const { promises, log } = this.#ports
    try {
      await promises.keep(account)
    } catch (err) {
      // The person is signed in anyway; the promise is kept within a minute.
      log.warn({ err, orgId: account.promised?.orgId }, 'a sign-up could not be finished')
    }
  }
}

const wrong = (): ServiceError => new ServiceError('unauthorized', 'The e-mail address or the password is wrong.')

const unconfirmed = (): ServiceError =>
  new ServiceError('forbidden', 'Confirm your e-mail address first: we have mailed you the link again.', {
    details: { reason: 'unconfirmed' },
  })
