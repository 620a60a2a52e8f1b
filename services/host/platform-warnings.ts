import type { Warned, Warning } from '#packages/foundation/readiness/readiness.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'

/** Warns of platforms that refuse us or withhold captions, and of accounts that rest: one line each. */
export const platformWarnings = ({ standing, withholding }: Pick<Platforms, 'standing' | 'withholding'>): Warned => ({
  get warnings() {
    const { blocked, restingAccounts } = standing()
    return [
      ...blocked.map(({ platform, exit, way, since }): Warning => {
        const read = way === 'yt-dlp' ? '' : `, read by ${way},`
        return { code: 'platform_refuses', message: `${platform} refuses ${exit}${read} since ${since}.` }
      }),
      ...restingAccounts.map(({ platform, until }): Warning => {
        return { code: 'accounts_rest', message: `An account of ${platform} rests until ${until.toISOString()}.` }
      }),
      ...withholding().map(({ platform, last, remedy }): Warning => {
        const message = `${platform} holds back captions, the last time at ${last.toISOString()}: ${remedy}.`
        return { code: 'captions_withheld', message }
      }),
    ]
  },
})
