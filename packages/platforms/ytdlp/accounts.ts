import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#packages/ports/clock.ts'
import type { SocialPlatform } from '../registry.ts'

/** An operator's account that is not used until this time, because the platform has asked it to sign in. */
export type RestingAccount = { platform: SocialPlatform; until: Date }

type AccountsOptions = {
  /** Netscape cookie files `<platform>.txt`; checked for every request. Undefined: no accounts. */
  directory: string | undefined
  clock: Clock
}

/** How many demands to sign in, in a row, make an account rest. */
const MAX_REFUSALS = 2
const REST_MS = 3_600_000

/**
 * The operator's accounts. After two demands in a row to sign in, an account rests for an hour, and `/ready` reports
 * it.
 */
export class Accounts {
  readonly #options: AccountsOptions
  readonly #refusals = new Map<SocialPlatform, number>()
  readonly #restsUntil = new Map<SocialPlatform, number>()

  constructor(options: AccountsOptions) {
    this.#options = options
  }

  /** Whether to make the next request with the platform's account. */
  has(platform: SocialPlatform): boolean {
    const { directory, clock } = this.#options
    if (directory === undefined || (this.#restsUntil.get(platform) ?? 0) > clock.now()) return false
    return existsSync(join(directory, `${platform}.txt`))
  }

  /** Records an answer. Call it for every request made with the account. */
  note(platform: SocialPlatform, answer: 'login_required' | 'other'): void {
    const refusals = answer === 'other' ? 0 : (this.#refusals.get(platform) ?? 0) + 1
    this.#refusals.set(platform, refusals % MAX_REFUSALS)
    if (refusals === MAX_REFUSALS) this.#restsUntil.set(platform, this.#options.clock.now() + REST_MS)
  }

  /** The accounts that rest now. */
  get resting(): RestingAccount[] {
    return [...this.#restsUntil]
      .filter(([, until]) => until > this.#options.clock.now())
      .map(([platform, until]) => ({ platform, until: new Date(until) }))
  }
}
