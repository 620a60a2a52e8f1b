import { ServiceError } from '#packages/errors/service-error.ts'
import type { Account, Accounts } from '#packages/ports/accounts.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Mails } from './mails.ts'
import type { PasswordCheck } from './password-check.ts'
import { PerMinute } from './per-minute.ts'
import type { PromisedOrganizations } from './promised-organizations.ts'
import type { Sessions } from './sessions.ts'
import type { SignUps } from './sign-ups.ts'

const SIGN_INS_PER_MINUTE = 20

/** `address`: the remote address. */
export type SignIn = { email: string; password: string; address: string }

type Ports = {
  accounts: Accounts
  counters: RateCounters
  check: PasswordCheck
  sessions: Sessions
  mails: Mails
  promises: PromisedOrganizations
  signUps: Pick<SignUps, 'remind'>
  log: Logger
}

/** Signs people in by password: 20 a minute from one remote address, five wrong ones for one account. */
export class SignIns {
  readonly #ports: Ports
  readonly #perAddress: PerMinute

  constructor(ports: Ports) {
    this.#ports = ports
    this.#perAddress = new PerMinute(ports.counters, 'dashboard-sign-ins', SIGN_INS_PER_MINUTE)
  }

  /**
   * An unknown address and a wrong password get the same answer by the same calls.
   * @returns the account, and the token of its new session
   * @throws ServiceError unauthorized, rate_limited, forbidden (the address is not confirmed yet: the link is mailed again)
   */
  async signIn({ email: typed, password, address }: SignIn): Promise<{ account: Account; session: string }> {
    const { accounts, check, mails, signUps } = this.#ports
    const email = typed.trim()
    await this.#perAddress.assert(address)
    const account = await accounts.byEmail(email)
    const isRight = await check.matches(password, email, account)
    if (account === undefined || !isRight) throw wrong()
    if (account.verifiedAt === null && mails.isSet) {
      await signUps.remind(account)
      throw unconfirmed()
    }
    return this.begin(account)
  }

  /** Begins a session for somebody who has shown who they are, and finishes a sign-up that was cut off. */
  async begin({ id, passwordHash }: Account): Promise<{ account: Account; session: string }> {
    const { accounts, sessions } = this.#ports
    const session = await sessions.begin(id)
    // Whoever changes a password ends the sessions after it: one that began with the old password meanwhile ends here.
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
      // The person is signed in all the same; the promise is kept within a minute.
      log.warn({ err, orgId: account.promised?.orgId }, 'a sign-up could not be finished')
    }
  }
}

const wrong = (): ServiceError => new ServiceError('unauthorized', 'The e-mail address or the password is wrong.')

const unconfirmed = (): ServiceError =>
  new ServiceError('forbidden', 'Confirm your e-mail address first: we have mailed you the link again.', {
    details: { reason: 'unconfirmed' },
  })
