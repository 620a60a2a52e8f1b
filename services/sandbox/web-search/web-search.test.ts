import { expect } from 'chai'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import type { CatalogueVideo } from '../catalogue.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import type { SandboxRequest } from '../site.ts'
import { braveSite } from './brave.ts'
import { find } from './query.ts'
import { searxngSite } from './searxng.ts'

const video = (platform: SocialPlatform, url: string, given: Partial<CatalogueVideo> = {}): CatalogueVideo => ({
  platform,
  id: url,
  url,
  creator: { id: '1', handle: 'maria', name: 'Maria' },
  title: 'Baking bread',
  description: 'slowly #bread',
  published: '2026-02-03T04:05:06.000Z',
  views: 10,
  likes: 1,
  comments: 1,
  shares: 1,
  film: 'leisure',
  captions: [],
  ...given,
})

const videos = [
  video('tiktok', 'https://www.tiktok.com/@maria/video/1', { views: 5 }),
  video('x', 'https://x.com/maria/status/2', { views: 9 }),
  video('facebook', 'https://www.facebook.com/watch/?v=3', { trouble: 'private' }),
]

const asked = (url: string, headers: SandboxRequest['headers'] = { 'x-subscription-token': 'sandbox' }) => ({
  method: 'GET',
  url: new URL(url),
  headers,
  body: Buffer.alloc(0),
  exit: undefined,
})

describe('the sandbox’s search engines', () => {
  const urls = (query: string) => find(query, videos).map(({ url }) => url)

  it('search only the given sites, also find other pages, and find only public videos', () => {
    expect(urls('bread site:tiktok.com')).to.deep.equal([
      'https://www.tiktok.com/@maria/video/1',
      'https://www.tiktok.com/about',
    ])
    expect(urls('(site:twitter.com OR site:x.com) bread')).to.deep.equal([
      'https://x.com/maria/status/2',
      'https://x.com/about',
    ])
    expect(urls('bread site:tiktok.com/@maria')).to.deep.equal(['https://www.tiktok.com/@maria/video/1'])
    expect(urls('bread site:iktok.com')).to.deep.equal([])
    expect(urls('stones')).to.deep.equal([])
  })

  it('answer as Brave does', async () => {
    const brave = braveSite(videos)
    const url = 'https://api.search.brave.com/res/v1/videos/search?q=bread&count=1'
    const body = (await brave.answer(asked(url)))?.body as { results: Record<string, unknown>[] }
    expect(body.results.map(({ url: found, video: about, page_age }) => [found, about, page_age])).to.deep.equal([
      ['https://x.com/maria/status/2', { duration: '00:12', views: 9, creator: 'Maria' }, '2026-02-03T04:05:06'],
    ])
    expect((await brave.answer(asked(url, {})))?.status).to.equal(422)
    expect((await brave.answer(asked(url.replace('count=1', 'count=99'))))?.status).to.equal(422)
  })

  it('answer as a SearXNG inside, at the sandbox’s own address', async () => {
    const sandbox: Sandbox = await startSandbox([searxngSite(videos)])
    await using _sandbox = sandbox
    const read = async (query: string) => {
      const answer = await fetch(`${sandbox.proxyUrl}/search?${query}`)
      return answer.ok
        ? ((await answer.json()) as { results: { url: string }[] }).results.map(({ url }) => url)
        : answer.status
    }
    expect(await read('q=bread+site:x.com&categories=videos&format=json')).to.deep.equal([
      'https://x.com/maria/status/2',
      'https://x.com/about',
    ])
    expect(await read('q=bread&categories=videos')).to.equal(403)
  })
})
