import { expect } from 'chai'
import { platformWarnings } from './platform-warnings.ts'

describe('warnings of platforms', () => {
  it('name refused exits, resting accounts and withheld captions, also without an ingress', () => {
    const since = '2026-11-21T18:00:00.000Z'
    const tiktok = { platform: 'tiktok', exit: 'direct', way: 'yt-dlp', state: 'open', since } as const
    const blocked = [tiktok, { ...tiktok, platform: 'youtube', way: 'innertube' } as const]
    const restingAccounts = [{ platform: 'x' as const, until: new Date(since) }]
    const withholding = [{ platform: 'youtube' as const, last: new Date(since), remedy: 'set THIS' }]
    const ill = { standing: () => ({ blocked, restingAccounts }), withholding: () => withholding }
    expect(platformWarnings(ill).warnings).to.deep.equal([
      { code: 'platform_refuses', message: `tiktok refuses direct since ${since}.` },
      { code: 'platform_refuses', message: `youtube refuses direct, read by innertube, since ${since}.` },
      { code: 'accounts_rest', message: `An account of x rests until ${since}.` },
      { code: 'captions_withheld', message: `youtube holds back captions, the last time at ${since}: set THIS.` },
    ])
    const well = { standing: () => ({ blocked: [], restingAccounts: [] }), withholding: () => [] }
    expect(platformWarnings(well).warnings).to.deep.equal([])
  })
})
