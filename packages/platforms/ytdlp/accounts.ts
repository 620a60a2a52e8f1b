import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#packages/ports/clock.ts'
import type { SocialPlatform } from '../registry.ts'

/** An operator's account on a platform that is not used for a while. */
export type RestingAccount = { platform: SocialPlatform; until: Date }

export type AccountsOptions = {
  /** Netscape cookie files `<platform>.txt`; looked at for every request. Undefined: no accounts. */
  directory: string | undefined
  clock: Clock
  restSeconds: number
}

/** Refusals in a row after which an account rests. */
const MAX_REFUSALS = 2

/** The operator's accounts: one that is asked twice in a row to sign in is spared, and told of in `/ready`. */
export class Accounts {
  readonly #options: AccountsOptions
  readonly #refusals = new Map<SocialPlatform, number>()
  readonly #restsUntil = new Map<SocialPlatform, number>()

  constructor(options: AccountsOptions) {
    this.#options = options
  }

  /** Whether the next request is to be made with the platform's account. */
  has(platform: SocialPlatform): boolean {
    const { directory, clock } = this.#options
    if (directory === undefined || (this.#restsUntil.get(platform) ?? 0) > clock.now()) return false
    return existsSync(join(directory, `${platform}.txt`))
  }

  /** To be told of every answer that was got with the account. */
  note(platform: SocialPlatform, answer: 'login_required' | 'other'): void {
    const refusals = answer === 'other' ? 0 : (this.#refusals.get(platform) ?? 0) + 1
    this.#refusals.set(platform, refusals % MAX_REFUSALS)
    const { clock, restSeconds } = this.#options
    if (refusals === MAX_REFUSALS) this.#restsUntil.set(platform, clock.now() + restSeconds * 1000)
  }

  /** Those that rest now. */
  get resting(): RestingAccount[] {
    return [...this.#restsUntil]
      .filter(([, until]) => until > this.#options.clock.now())
      .map(([platform, until]) => ({ platform, until: new Date(until) }))
  }
}
