import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Account, addressKey } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { AccountPorts } from './account-ports.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { PerMinute } from './per-minute.ts'
import type { SignedIn } from './sessions.ts'

const FAILURES_PER_MINUTE = 5

/** The oldest session that can take the place of a password, milliseconds. */
const RECENT_MS = 10 * 60 * 1000

type Ports = Pick<AccountPorts, 'counters' | 'clock'> & { hasher: PasswordHasher }

/** Compares passwords, at most five wrong ones a minute for each address, whether it has an account or not. */
export class PasswordCheck {
  readonly #hasher: PasswordHasher
  readonly #clock: Clock
  readonly #failures: PerMinute

  constructor({ hasher, counters, clock }: Ports) {
    this.#hasher = hasher
    this.#clock = clock
    this.#failures = new PerMinute(counters, 'dashboard-passwords', FAILURES_PER_MINUTE)
  }

  /**
   * Makes the same calls for an account, for one without a password, and for none.
   * @throws ServiceError rate_limited
   */
  async matches(password: string, email: string, account: Account | undefined): Promise<boolean> {
    const key = addressKey(email)
    // The attempt is counted before the comparison, so that simultaneous attempts get no more tries than consecutive
    // ones.
    await this.#failures.assert(key)
    let isWrong = false
    try {
      isWrong = !(await this.#hasher.matches(password, account?.passwordHash ?? null))
      return !isWrong
    } finally {
      // The count also stays if too many passwords wait to be compared: then it is unknown whether this one was wrong.
      if (!isWrong) await this.#failures.giveBack(key)
    }
  }

  /**
   * Asks a signed-in person for the password again, or, if there is none, requires a session of the last ten minutes.
   * @param path the field that an error names
   * @throws ServiceError invalid_request, forbidden, rate_limited
   */
  async assertAgain({ account, session }: SignedIn, password: string, path = 'password'): Promise<void> {
    if (account.passwordHash === null) {
      if (this.#clock.now() - session.createdAt < RECENT_MS) return
      throw new ServiceError(
        'forbidden',
        'Sign in again first: for this your session must be younger than ten minutes.',
        {
          details: { reason: 'session_too_old' },
        },
      )
    }
    if (!(await this.matches(password, account.email, account)))
      throw invalidRequest({ path, message: 'is not your password' })
  }
}
