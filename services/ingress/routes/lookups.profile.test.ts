import { expect } from 'chai'
import type { InstagramProfile, TikTokProfile } from '#contracts/generated/http.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { beginning, type Place } from '#packages/platforms/paging/take-items.ts'
import type { ProfilePart } from '#packages/platforms/profiles/create-profiles.ts'
import { answerOf, assertRefused, eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'

const author = { username: 'a.b', displayName: 'A B', avatarUrl: null, verified: false }
const tiktok: TikTokProfile = {
  platform: 'tiktok',
  type: 'profile',
  username: 'a.b',
  url: 'https://www.tiktok.com/@a.b',
  author,
  stats: { followers: 1, following: null, likes: 3, videos: 4 },
  videos: [],
}
const instagram: InstagramProfile = {
  platform: 'instagram',
  type: 'profile',
  username: 'a.b',
  url: 'https://www.instagram.com/a.b/',
  description: '',
  author,
  stats: { followers: 1, following: 2, posts: 3 },
  videos: [],
}

describe('GET /v1/tiktok/profile and /v1/instagram/profile', () => {
  let wishes: unknown[]
  let fail: StepError | undefined
  const { acme } = eachIngress(() => {
    wishes = []
    fail = undefined
    const answering =
      <T>(profile: T) =>
      async (wish: { from: Place }): Promise<ProfilePart<T>> => {
        wishes.push(wish)
        if (fail) throw fail
        return { profile, next: wish.from.skip === 0 ? { token: null, skip: 12 } : null }
      }
    const platforms = sourcesOf({ profiles: { tiktok: answering(tiktok), instagram: answering(instagram) } })
    return { clock, platforms }
  })

  for (const profile of [tiktok, instagram]) {
    const at = (query: string) => `/v1/${profile.platform}/profile${query}`

    it(`${profile.platform}: takes a name with or without @, or a URL; twelve videos by default`, async () => {
      const url = encodeURIComponent(profile.url)
      for (const query of ['?username=a.b', '?username=@A.B', `?url=${url}`, `?username=a.b&url=${url}`]) {
        expect((await acme.get(at(query))).body, query).to.deep.equal(profile)
      }
      await acme.get(at('?username=a.b&limit=24'))
      const twelve = { username: 'a.b', limit: 12, from: beginning }
      expect(wishes).to.deep.equal([twelve, twelve, twelve, twelve, { ...twelve, limit: 24 }])
    })

    it(`${profile.platform}: refuses invalid parameters by name`, async () => {
      const elsewhere = profile === tiktok ? instagram.url : tiktok.url
      await assertRefused(acme, at(''), {
        username: ['', '?username=', '?username=..%2F..%2Fetc', '?username=a.b&username=c', '?username=a%00b'],
        url: ['?url=https://example.com/a', `?url=${elsewhere}`, '?url=x', `?username=other&url=${profile.url}`],
        limit: ['?username=a.b&limit=0', '?username=a.b&limit=25', '?username=a.b&limit=x'],
      })
      expect(wishes).to.deep.equal([])
    })

    it(`${profile.platform}: is 404 for a profile that does not exist, 502 if the platform refuses`, async () => {
      fail = new StepError('profile_not_found')
      const { platform } = profile
      const refusal = () => answerOf(acme.get(at('?username=nobody.here')), 'error', 'details')
      expect(await refusal()).to.deep.equal([404, 'not_found', { platform, code: 'profile_not_found' }])
      fail = new StepError('platform_blocked', { transient: true })
      expect(await refusal()).to.deep.equal([502, 'upstream_error', { platform, code: 'platform_blocked' }])
    })
  }

  it('is 503 with the time to come back once the platform’s reads per minute are used up', async () => {
    fail = new PaceError(11_500)
    const { status, body, headers } = await acme.get('/v1/tiktok/profile?username=a.b')
    expect([status, body.error, headers.get('retry-after')]).to.deep.equal([503, 'unavailable', '12'])
  })

  it('shows operators, without a key, which platform refuses which exit address', async () => {
    const since = '2026-11-21T12:00:00.000Z'
    const blocked = { platform: 'tiktok', exit: 'direct', way: 'yt-dlp', state: 'open', since } as const
    const standing = { blocked: [blocked], restingAccounts: [] }
    await using other = await startIngress({ clock, platforms: sourcesOf({ standing: () => standing }) })
    const org = await other.org()
    expect((await org.get('/ready', { key: null })).body).to.deep.equal({ status: 'ready', warnings: [], ...standing })
    const warning = { code: 'model_endpoint_slow', message: 'The model endpoint is slow.' }
    other.warnings.push(warning)
    expect((await org.get('/ready', { key: null })).body.warnings, 'and what is ill outside').to.deep.equal([warning])
  })
})
