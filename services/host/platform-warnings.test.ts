import { expect } from 'chai'
import { platformWarnings } from './platform-warnings.ts'

describe('warnings of platforms', () => {
  it('name each exit that is refused and each account that rests, also in a process without an ingress', () => {
    const since = '2026-11-21T18:00:00.000Z'
    const tiktok = { platform: 'tiktok', exit: 'direct', way: 'yt-dlp', state: 'open', since } as const
    const blocked = [tiktok, { ...tiktok, platform: 'youtube', way: 'innertube' } as const]
    const restingAccounts = [{ platform: 'x' as const, until: new Date(since) }]
    expect(platformWarnings({ standing: () => ({ blocked, restingAccounts }) }).warnings).to.deep.equal([
      { code: 'platform_refuses', message: `tiktok refuses direct since ${since}.` },
      { code: 'platform_refuses', message: `youtube refuses direct, read by innertube, since ${since}.` },
      { code: 'accounts_rest', message: `An account of x rests until ${since}.` },
    ])
    expect(platformWarnings({ standing: () => ({ blocked: [], restingAccounts: [] }) }).warnings).to.deep.equal([])
  })
})
