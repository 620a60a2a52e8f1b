import { expect } from 'chai'
import type { SearchResult } from '#contracts/generated/http.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { beginning } from '#packages/platforms/paging/take-items.ts'
import { type Search, SearchFailed, SearchNotConfigured } from '#packages/platforms/search/search.ts'
import { assertRefused, eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { untoldResult } from '#test/doubles/untold.ts'

const hit: SearchResult = {
  platform: 'youtube',
  url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  title: 'A talk',
  author: 'A speaker',
  stats: { views: 12, likes: null, comments: null, shares: null },
  duration: 61,
  thumbnail: null,
  createdAt: null,
  ...untoldResult,
}

describe('GET /v1/search', () => {
  let search: Search
  let wishes: Parameters<Search>[0][]
  const { acme } = eachIngress(() => {
    wishes = []
    search = async () => ({ results: [hit], incomplete: [], next: null })
    const platforms = sourcesOf({
      search: (wish, reading) => {
        wishes.push(wish)
        return search(wish, reading)
      },
    })
    return { clock, platforms }
  })

  it('answers with a bare array; by default six results of all platforms', async () => {
    const { status, body, headers } = await acme.get('/v1/search?q=public+speaking')
    expect([status, body, headers.has('x-search-incomplete')]).to.deep.equal([200, [hit], false])
    await acme.get('/v1/search?q=a&platform=tiktok&limit=20')
    expect(wishes).to.deep.equal([
      { q: 'public speaking', limit: 6, platform: undefined, from: beginning },
      { q: 'a', limit: 20, platform: 'tiktok', from: beginning },
    ])
  })

  it('names the platforms that could not be searched', async () => {
    search = async () => ({ results: [], incomplete: ['tiktok', 'x'], next: null })
    const { body, headers } = await acme.get('/v1/search?q=a')
    expect([body, headers.get('x-search-incomplete')]).to.deep.equal([[], 'tiktok, x'])
  })

  it('refuses invalid parameters by name, and searches nothing', async () => {
    await assertRefused(acme, '/v1/search', {
      q: ['', '?q=', '?q=a&q=b', `?q=${'a'.repeat(501)}`],
      platform: ['?q=a&platform=vimeo', '?q=a&platform='],
      limit: ['0', '21', 'six', '1.5', '', '-1', '1e1', '%2B5'].map((limit) => `?q=a&limit=${limit}`),
    })
    expect(wishes).to.deep.equal([])
  })

  it('is 503 with the variable to set if it is missing, and 502 with the platform if all fail', async () => {
    search = () => Promise.reject(new SearchNotConfigured('tiktok'))
    const unset = await acme.get('/v1/search?q=a&platform=tiktok')
    expect([unset.status, unset.body.error]).to.deep.equal([503, 'unavailable'])
    expect(unset.body.message).to.contain('BRAVE_API_KEY')
    search = () => Promise.reject(new SearchFailed('youtube', new StepError('platform_blocked')))
    const { status, body } = await acme.get('/v1/search?q=a')
    expect([status, body.details]).to.deep.equal([502, { platform: 'youtube', code: 'platform_blocked' }])
  })

  it('is free', async () => {
    await acme.get('/v1/search?q=a')
    expect((await acme.get('/v1/me')).body.creditsRemaining).to.equal(50)
  })
})
