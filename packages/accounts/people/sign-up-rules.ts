import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Accounts, addressKey, type Token } from '#packages/ports/accounts.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { invitationIsOver, openInvitation } from './open-invitation.ts'
import { PerMinute } from './per-minute.ts'

/** Accounts per read. */
const PAGE = 100

const DAY_MS = 24 * 60 * 60 * 1000

/** The most places that one person takes by opening a link many times at once. */
const PLACES_OF_ONE_PER_MINUTE = 3

type Ports = Pick<AccountPorts, 'accounts' | 'clock' | 'counters'>
type Options = Pick<AccountOptions, 'signUp' | 'signUpsPerDay'>

/**
 * Who may sign up. An invitation to an organization (`gives`) leads to membership in it, whatever SIGNUP says. One
 * without `gives` is an operator's: its addressee may create an organization, unless SIGNUP is `closed`. The
 * invitation for the first owner admits anyone who opens it.
 */
export class SignUpRules {
  readonly #accounts: Accounts
  readonly #clock: Clock
  readonly #options: Options
  readonly #placesOfOne: PerMinute

  constructor({ accounts, clock, counters }: Ports, options: Options) {
    this.#placesOfOne = new PerMinute(counters, 'dashboard-places', PLACES_OF_ONE_PER_MINUTE)
    this.#accounts = accounts
    this.#clock = clock
    this.#options = options
  }

  /** Looks up an invitation without using it up. @throws ServiceError not_found */
  invitation(hash: string): Promise<Token> {
    return openInvitation({ accounts: this.#accounts, clock: this.#clock }, hash)
  }

  /** @throws ServiceError forbidden, or invalid_request if an operator has invited another address */
  assertAllowed(invitation: Token | undefined, email: string): void {
    if (invitation !== undefined && (invitation.gives !== null || isForFirstOwner(invitation))) return
    const { signUp } = this.#options
    if (signUp === 'closed') throw refused('No new organizations are made here.')
    if (signUp === 'invited' && invitation === undefined)
      throw refused('Signing up needs an invitation here: ask the operator for one.')
    if (invitation !== undefined && !isSentTo(invitation, email))
      throw invalidRequest({ path: 'email', message: 'must be the address that was invited' })
  }

  /** Whether any organization has an owner. If so, there is no first owner any more. */
  async hasOwner(): Promise<boolean> {
    for (let after = ''; ; ) {
      const page = await this.#accounts.page(after, PAGE)
      if (page.some(({ memberships }) => memberships.some(({ role }) => role === 'owner'))) return true
      const last = page.at(-1)
      if (last === undefined) return false
      after = last.id
    }
  }

  /**
   * Uses up an invitation for the first owner, and leaves others alone. If several send the form at once, one
   * continues.
   * @throws ServiceError not_found
   */
  async takeFirst(invitation: Token | undefined): Promise<void> {
    if (invitation === undefined || !isForFirstOwner(invitation)) return
    const isTaken = async () => (await this.#accounts.takeToken(invitation.hash, this.#clock.now())) !== undefined
    if ((await this.hasOwner()) || !(await isTaken())) throw invitationIsOver()
  }

  /**
   * Takes one of today's places for organizations that get credits.
   * @param subject the account, or the identity that has none yet
   * @throws ServiceError unavailable, with the time of tomorrow; rate_limited
   */
  async takePlace(subject: string): Promise<void> {
    await this.#placesOfOne.assert(subject)
    const now = this.#clock.now()
    if (await this.#accounts.takePlace(isoOf(now).slice(0, 10), this.#options.signUpsPerDay)) return
    const tomorrow = (Math.floor(now / DAY_MS) + 1) * DAY_MS
    const at = isoOf(tomorrow).slice(0, 16).replace('T', ' ')
    const message = `As many organizations as one day has room for were made today. Open the link again after ${at} UTC.`
    throw new ServiceError('unavailable', message, { retryAfterSeconds: Math.ceil((tomorrow - now) / 1000) })
  }
}

const refused = (message: string): ServiceError =>
  new ServiceError('forbidden', message, { details: { reason: 'sign_up' } })

/** The data that marks the invitation printed at a first start. */
export const forFirstOwner: Token['data'] = { for: 'first owner' }

const isForFirstOwner = ({ data }: Pick<Token, 'data'>): boolean => data.for === forFirstOwner.for

/** Whether holding the invitation proves that the address is the holder's. */
export const isSentTo = ({ email: sentTo }: Token, email: string): boolean =>
  sentTo !== null && addressKey(sentTo) === addressKey(email)
