import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { type ScriptedAnswer, scriptedRoute } from '#test/doubles/scripted-route.ts'
import { untoldResult } from '#test/doubles/untold.ts'
import type { DriftReport } from '../../reading/site.ts'
import { createBrave } from './brave.ts'
import type { Hit, Provider } from './provider.ts'
import { createSearxng } from './searxng.ts'
import { createWebSearch, videosAmong } from './web-search.ts'

const none = { views: null, likes: null, comments: null, shares: null }
const hit = (url: string, more: Partial<Hit> = {}): Hit => ({
  url,
  title: 'Tea',
  author: null,
  stats: none,
  duration: null,
  thumbnail: null,
  createdAt: null,
  ...untoldResult,
  ...more,
})
const reading = (signal = new AbortController().signal) => ({ owner: 'request', refusals: 0, signal })

describe('a search of the web for the videos of a platform', () => {
  const asked: string[] = []
  const provider = (hits: Hit[]): Provider => ({
    search: async (query) => {
      asked.push(query)
      return { hits, more: false }
    },
  })

  it("is restricted to the platform's sites", async () => {
    asked.length = 0
    const source = createWebSearch('tiktok', 'site:tiktok.com', provider([]), async () => undefined)
    await source.find({ q: 'green tea', token: null }, reading())
    expect(asked).to.deep.equal(['site:tiktok.com green tea'])
  })

  it("keeps only that platform's videos, under their canonical URLs, each once", () => {
    const urls = [
      'https://www.tiktok.com/@ann/video/7093219663211053829?lang=en',
      'https://www.tiktok.com/@ann',
      'https://www.tiktok.com/tag/tea',
      'https://m.tiktok.com/@Ann/video/7093219663211053829',
      'https://nottiktok.com/@ann/video/7093219663211053829',
      'https://www.youtube.com/watch?v=3NHftLP8hcg',
      'https://vm.tiktok.com/ZMabc/',
      'javascript:alert(1)',
      'https://www.tiktok.com/@bob/video/7093219663211053830',
    ]
    expect(
      videosAmong(
        urls.map((url) => hit(url)),
        'tiktok',
      ).map(({ url }) => url),
    ).to.deep.equal([
      'https://www.tiktok.com/@ann/video/7093219663211053829',
      'https://www.tiktok.com/@bob/video/7093219663211053830',
    ])
  })

  it('gives every field of its results', async () => {
    const hits = [hit('https://twitter.com/ann/status/1841206275088290279')]
    const x = createWebSearch('x', '(site:x.com OR site:twitter.com)', provider(hits), async () => undefined)
    expect(await x.find({ q: 'tea', token: null }, reading())).to.deep.equal({
      items: [{ ...hit('https://x.com/ann/status/1841206275088290279'), platform: 'x' }],
      next: null,
    })
  })
})

describe('the Brave Search API', () => {
  const video = {
    url: 'https://www.tiktok.com/@ann/video/7093219663211053829',
    title: 'Tea',
    page_age: '2026-02-12T10:11:12',
    thumbnail: { src: 'https://imgs.search.brave.com/a', original: 'https://p16/a' },
    video: { duration: '03:20', views: 1200, creator: 'Ann', publisher: 'TikTok' },
  }
  const setting = (answer: ScriptedAnswer) => {
    const route = scriptedRoute(() => answer)
    const reports: DriftReport[] = []
    const brave = createBrave({ apiKey: 'a-key', routeOf: () => route, report: (report) => reports.push(report) })
    return { route, reports, brave }
  }

  it('gets its key in a header, and gives the known fields of a video', async () => {
    const { route, brave, reports } = setting({ body: { type: 'videos', results: [video] } })
    expect((await brave.search('site:tiktok.com tea', 0, reading())).hits).to.deep.equal([
      hit(video.url, {
        author: 'Ann',
        stats: { ...none, views: 1200 },
        duration: 200,
        thumbnail: 'https://imgs.search.brave.com/a',
        createdAt: '2026-02-12T10:11:12.000Z',
      }),
    ])
    const [asked] = route.asked
    expect(asked?.headers?.['x-subscription-token']).to.equal('a-key')
    const url = new URL(asked?.url ?? '')
    expect(`${url.origin}${url.pathname}`).to.equal('https://api.search.brave.com/res/v1/videos/search')
    expect([url.searchParams.get('q'), url.searchParams.get('count')]).to.deep.equal(['site:tiktok.com tea', '20'])
    expect(reports).to.deep.equal([])
  })

  it('may give only URL and title', async () => {
    const { brave, reports } = setting({ body: { results: [{ url: video.url, title: 'Tea' }] } })
    expect((await brave.search('tea', 0, reading())).hits).to.deep.equal([hit(video.url)])
    expect(reports).to.deep.equal([])
  })

  it('gets no query longer than it accepts', async () => {
    const { brave, route } = setting({ body: { results: [] } })
    await brave.search(`site:x.com ${'tea '.repeat(200)}${'x'.repeat(500)}`, 0, reading())
    const q = new URL(route.asked[0]?.url ?? '').searchParams.get('q') ?? ''
    expect([q.startsWith('site:x.com '), q.split(' ').length <= 50, q.length <= 400]).to.deep.equal([true, true, true])
  })

  it('fails without passing on the text of the answer', async () => {
    for (const status of [401, 422, 500]) {
      const { brave } = setting({ status, body: { error: 'a-key is wrong' } })
      const failure = await failureOf(brave.search('tea', 0, reading()))
      expect([failure.code, failure.message]).to.deep.equal([
        'upstream_error',
        `The Brave Search API answered ${status}.`,
      ])
    }
    const changed = setting({ body: { videos: [] } })
    expect((await failureOf(changed.brave.search('tea', 0, reading()))).code).to.equal('upstream_error')
    expect(changed.reports[0]?.drift[0]?.field).to.equal('brave.results')
  })
})

describe('a SearXNG', () => {
  let handler: RequestListener
  let seen: string[]
  beforeEach(() => {
    seen = []
  })
  const server = openedForEach(() =>
    onLoopback(
      createServer((request, response) => {
        seen.push(request.url ?? '')
        handler(request, response)
      }),
    ),
  )
  const search = (path = '', reports: DriftReport[] = [], query = 'tea', signal = new AbortController().signal) =>
    createSearxng({
      baseUrl: `http://127.0.0.1:${server.port}${path}`,
      report: (report) => reports.push(report),
    }).search(query, 0, reading(signal))

  it('is queried for videos as JSON, even at the loopback address, below its own path', async () => {
    handler = (_, response) => void response.end('{"results": []}')
    expect(await search('/searx', [], 'site:x.com tea')).to.deep.equal({ hits: [], more: false })
    expect(seen).to.deep.equal(['/searx/search?q=site%3Ax.com+tea&categories=videos&format=json'])
  })

  it('gives the fields that its engines know of a video', async () => {
    const url = 'https://x.com/ann/status/1841206275088290279'
    const results = [
      {
        url,
        title: 'Tea',
        author: 'Ann',
        length: 200.0,
        views: '1,200',
        publishedDate: '2026-02-12T10:11:12',
        thumbnail: 'https://a/b',
      },
      { url, title: 'Tea', author: '', length: '3:20', views: '1.2M', publishedDate: null, thumbnail: '' },
    ]
    handler = (_, response) => void response.end(JSON.stringify({ query: 'tea', results }))
    const reports: DriftReport[] = []
    expect((await search('', reports)).hits).to.deep.equal([
      hit(url, {
        author: 'Ann',
        duration: 200,
        stats: { ...none, views: 1200 },
        createdAt: '2026-02-12T10:11:12.000Z',
        thumbnail: 'https://a/b',
      }),
      hit(url, { duration: 200 }),
    ])
    expect(reports).to.deep.equal([])
  })

  it('names the setting to change if it does not answer JSON', async () => {
    handler = (_, response) => void response.writeHead(403).end()
    expect((await failureOf(search())).message).to.contain('search.formats')
  })

  it('may neither redirect nor send an endless answer', async () => {
    handler = (_, response) => void response.writeHead(302, { location: '/other' }).end()
    expect((await failureOf(search())).code).to.equal('upstream_error')
    expect(seen).to.have.length(1)
    handler = (_, response) => void response.end(Buffer.alloc(9 * 1024 * 1024, 32))
    expect((await failureOf(search())).code).to.equal('upstream_error')
  })

  it('ends with the reason of the signal', async () => {
    const abort = new AbortController()
    const reason = new Error('gone')
    handler = () => abort.abort(reason)
    expect(await failureOf(search('', [], 'tea', abort.signal))).to.equal(reason)
  })
})
