import { randomBytes } from 'node:crypto'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Account, SecondFactor } from '#packages/ports/accounts.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'
import type { PasswordCheck } from './password-check.ts'
import { putNewToken } from './put-new-token.ts'
import { tokenHash } from './secret-token.ts'
import type { SignedIn } from './sessions.ts'

const MINUTE_MS = 60_000

/** How long a sign-in may take from the right password to the code, milliseconds. */
const SIGN_IN_MS = 10 * MINUTE_MS

/** How long setting up may take from the page with the QR code to the first code, milliseconds. */
const SET_UP_MS = 60 * MINUTE_MS

/** After this many wrong codes in a row, of any kind, no code is accepted for a while. */
const TRIES = 5
const PAUSE_MS = 15 * MINUTE_MS

const STEP_SECONDS = 30
const RECOVERY_CODES = 10
/** The length of a recovery code. 80 bits are too many to find a code from its hash. */
const RECOVERY_BYTES = 10

type Ports = Pick<AccountPorts, 'accounts' | 'clock' | 'sealer'> & { check: PasswordCheck; mails: Mails }

/**
 * A secret that is about to be set up. `setUp`: what the form sends back; it is sealed, and valid only for this
 * person.
 */
export type OfferedSecret = { secret: string; uri: string; setUp: string }

/**
 * One-time codes (TOTP, RFC 6238) that a sign-in by password also asks for, and recovery codes in their place. One
 * change of the account uses up a code, or counts a wrong one. So of several at once, in any process, one is
 * accepted.
 */
export class SecondFactors {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** A fresh secret. It is stored once the person enters one of its codes. */
  offer({ id, email }: Account): OfferedSecret {
    const secret = generateSecret()
    const until = this.#ports.clock.now() + SET_UP_MS
    return { secret, uri: uriOf(email, secret), setUp: this.#seal(`${id} ${secret} ${until}`) }
  }

  /** The secret of a returned form. Undefined if it is too old, or another person's. */
  offered({ id, email }: Account, setUp: string): OfferedSecret | undefined {
    const [ownerId, secret = '', until] = this.#unseal(setUp).split(' ')
    if (ownerId !== id || !(this.#ports.clock.now() < Number(until))) return undefined
    return { secret, uri: uriOf(email, secret), setUp }
  }

  /**
   * @returns the recovery codes, which are stored as hashes
   * @throws ServiceError invalid_request naming `code` or `password`, rate_limited, not_found (too late: begin again)
   */
  async turnOn(who: SignedIn, given: { setUp: string; code: string; password: string }): Promise<string[]> {
    const { accounts, check, clock } = this.#ports
    const { id } = who.account
    if (who.account.passwordHash === null) throw new ServiceError('forbidden', 'Choose a password first.')
    const offered = this.offered(who.account, given.setUp)
    if (offered === undefined) throw pageIsOld()
    await check.assertAgain(who, given.password)
    const lastStep = stepOf(offered.secret, bare(given.code), clock.now(), 0)
    if (lastStep === undefined) throw wrongCode()
    const codes = newRecoveryCodes()
    const secondFactor: SecondFactor = {
      sealed: this.#seal(`${id} ${offered.secret}`),
      lastStep,
      recovery: codes.map(hashOfCode),
      failures: 0,
      pausedUntil: 0,
    }
    let isOurs = false
    await accounts.update(id, (account) => {
      // A new second factor does not replace an existing one. A password that has changed meanwhile is not enough.
      isOurs = account.secondFactor === undefined && account.passwordHash === who.account.passwordHash
      return isOurs ? { ...account, secondFactor } : undefined
    })
    if (!isOurs) throw pageIsOld()
    return codes
  }

  /**
   * @returns new recovery codes; the old ones no longer work @throws ServiceError as {@link turnOff}, not_found (it
   *   is off)
   */
  async renewRecoveryCodes(who: SignedIn, password: string): Promise<string[]> {
    await this.#ports.check.assertAgain(who, password)
    const codes = newRecoveryCodes()
    let isOn = false
    await this.#ports.accounts.update(who.account.id, (account) => {
      const { secondFactor } = account
      isOn = secondFactor !== undefined
      return secondFactor && { ...account, secondFactor: { ...secondFactor, recovery: codes.map(hashOfCode) } }
    })
    if (!isOn) throw pageIsOld()
    return codes
  }

  /** @throws ServiceError invalid_request naming `password`, rate_limited */
  async turnOff(who: SignedIn, password: string): Promise<void> {
    const { accounts, check, mails } = this.#ports
    await check.assertAgain(who, password)
    let isOn = false
    await accounts.update(who.account.id, (account) => {
      isOn = account.secondFactor !== undefined
      return isOn ? withoutSecondFactor(account) : undefined
    })
    if (isOn) mails.send(mailTexts.secondFactorOff(who.account.email))
  }

  /** Asks for a code after the right password. @returns a token for this sign-in, which opens nothing else */
  async ask({ id, passwordHash }: Account): Promise<string> {
    const data = { password: sha256(passwordHash ?? '') }
    return await putNewToken(this.#ports, { purpose: 'second-factor', accountId: id, data }, SIGN_IN_MS)
  }

  /**
   * Takes a code, or a recovery code, for a sign-in.
   * @returns the account that the password was for
   * @throws ServiceError not_found (the sign-in is over: begin again), invalid_request naming `code`, rate_limited
   */
  async answer(token: string, code: string): Promise<Account> {
    const { accounts, clock } = this.#ports
    const hash = tokenHash(token)
    const found = await accounts.token(hash, clock.now())
    if (found?.purpose !== 'second-factor' || found.accountId === null) throw signInIsOver()
    const account = await accounts.get(found.accountId)
    if (account === undefined || found.data.password !== sha256(account.passwordHash ?? '')) throw signInIsOver()
    await this.#take(account.id, bare(code))
    if ((await accounts.takeToken(hash, clock.now())) === undefined) throw signInIsOver()
    return account
  }

  /** Decides within one change of the account, so that a code is accepted once and every wrong one counts. */
  async #take(id: string, code: string): Promise<void> {
    const now = this.#ports.clock.now()
    let refusal: ServiceError | undefined
    await this.#ports.accounts.update(id, (account) => {
      const { secondFactor: held } = account
      refusal = undefined
      // The second factor was turned off meanwhile: the password is enough.
      if (held === undefined) return undefined
      if (now < held.pausedUntil) {
        refusal = paused(held.pausedUntil - now)
        return undefined
      }
      const taken = this.#taken(id, held, code, now)
      if (taken !== undefined) return { ...account, secondFactor: { ...taken, failures: 0 } }
      refusal = wrongCode()
      const failures = held.failures + 1
      const isLast = failures >= TRIES
      const counted = { failures: isLast ? 0 : failures, pausedUntil: isLast ? now + PAUSE_MS : held.pausedUntil }
      return { ...account, secondFactor: { ...held, ...counted } }
    })
    if (refusal !== undefined) throw refusal
  }

  /** The second factor after a code is used up. Undefined if the code is wrong. */
  #taken(id: string, held: SecondFactor, code: string, now: number): SecondFactor | undefined {
    const hash = sha256(code)
    if (held.recovery.includes(hash)) return { ...held, recovery: held.recovery.filter((each) => each !== hash) }
    const [ownerId, secret = ''] = this.#unseal(held.sealed).split(' ')
    const lastStep = ownerId === id ? stepOf(secret, code, now, held.lastStep) : undefined
    return lastStep === undefined ? undefined : { ...held, lastStep }
  }

  #seal(text: string): string {
    return this.#ports.sealer.seal('second-factor', Buffer.from(text))
  }

  /** Empty for text that was sealed with another key, or not sealed. */
  #unseal(sealed: string): string {
    return this.#ports.sealer.unseal('second-factor', sealed)?.toString() ?? ''
  }
}

export const withoutSecondFactor = ({ secondFactor: _, ...account }: Account): Account => account

const uriOf = (label: string, secret: string): string => generateURI({ issuer: 'Video Intelligence', label, secret })

/** The time step of a code that is neither wrong nor used. A phone's clock may be one step off. */
function stepOf(secret: string, code: string, now: number, lastStep: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const epoch = Math.floor(now / 1000)
  const result = verifySync({ secret, token: code, epoch, epochTolerance: STEP_SECONDS })
  // Does not use `afterTimeStep`, which throws if our clock was set back.
  return result.valid && 'timeStep' in result && result.timeStep > lastStep ? result.timeStep : undefined
}

/** A code without the spaces and hyphens in its display. */
const bare = (code: string): string => code.replaceAll(/[\s-]/g, '').toLowerCase()

const hashOfCode = (code: string): string => sha256(bare(code))

/** Such as `3f9a-01bc-77de-4a52-90ef`. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    randomBytes(RECOVERY_BYTES)
      .toString('hex')
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  )

const wrongCode = (): ServiceError =>
  invalidRequest({ path: 'code', message: 'is wrong or was already used. Enter the newest one' })

const paused = (forMs: number): ServiceError =>
  new ServiceError('rate_limited', 'Too many wrong codes. Wait 15 minutes, then try again.', {
    retryAfterSeconds: Math.ceil(forMs / 1000),
  })

const pageIsOld = (): ServiceError => new ServiceError('not_found', 'This page is too old. Open it again.')

const signInIsOver = (): ServiceError => new ServiceError('not_found', 'This sign-in took too long. Sign in again.')
