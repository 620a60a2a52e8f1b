import { expect } from 'chai'
import type { SearchResult } from '#contracts/generated/http.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { untoldResult } from '#test/doubles/untold.ts'
import type { Reading } from '../reading/reading.ts'
import type { SocialPlatform } from '../registry.ts'
import { createSearch, SearchFailed, SearchNotConfigured } from './search.ts'
import type { Details, SearchSource } from './search-source.ts'

const none = { views: null, likes: null, comments: null, shares: null }
const result = (platform: SocialPlatform, id: string): SearchResult => ({
  platform,
  url: `https://${platform}/${id}`,
  title: id,
  author: null,
  stats: none,
  duration: null,
  thumbnail: null,
  createdAt: null,
  ...untoldResult,
})

/** A source that finds some ids. */
const finds = (platform: SocialPlatform, ids: string[], details: SearchSource['details'] = async () => undefined) => ({
  find: async () => ({ items: ids.map((id) => result(platform, id)), next: null }),
  details,
})
const fails = (failure: unknown): SearchSource => ({
  find: () => Promise.reject(failure),
  details: async () => undefined,
})
/** A source that answers when its signal ends, with the signal's reason. */
const hangs = (): SearchSource => ({
  find: (_, { signal }) => untilAborted(signal),
  details: (_, { signal }) => untilAborted(signal),
})
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const reading = (signal = new AbortController().signal): Reading => ({ owner: 'request', refusals: 0, signal })
type Options = Parameters<typeof createSearch>[0]
/** Searches these sources, for up to six results unless it is said otherwise. */
const searchIn = (
  sources: Options['sources'],
  { q = 'cats', limit = 6, ...asked }: Partial<Parameters<ReturnType<typeof createSearch>>[0]> = {},
  options: Omit<Options, 'sources'> = {},
  signal?: AbortSignal,
) => createSearch({ sources, ...options })({ q, limit, ...asked }, reading(signal))
const titles = (results: SearchResult[]) => results.map(({ title }) => title)

describe('a search over the platforms', () => {
  it("interleaves each platform's own order, and ends at the limit", async () => {
    const sources = {
      youtube: finds('youtube', ['y1', 'y2', 'y3']),
      tiktok: finds('tiktok', ['t1']),
      x: finds('x', ['x1', 'x2']),
    }
    const all = ['y1', 't1', 'x1', 'y2', 'x2', 'y3']
    expect(titles((await searchIn(sources, { limit: 20 })).results)).to.deep.equal(all)
    expect(titles((await searchIn(sources, { limit: 4 })).results)).to.deep.equal(all.slice(0, 4))
  })

  it('names the platforms that failed or are not configured, and continues without them', async () => {
    const x = fails(new StepError('platform_blocked', { transient: true }))
    const found = await searchIn({ youtube: finds('youtube', ['y1']), x })
    expect(titles(found.results)).to.deep.equal(['y1'])
    expect(found.incomplete).to.deep.equal(['tiktok', 'instagram', 'x', 'facebook'])
  })

  it('searches only the requested platform', async () => {
    const found = await searchIn({ youtube: fails(new Error('asked')), x: finds('x', ['x1']) }, { platform: 'x' })
    expect([titles(found.results), found.incomplete]).to.deep.equal([['x1'], []])
  })

  it('counts a platform that finds nothing as answered', async () => {
    expect((await searchIn({ youtube: finds('youtube', []) })).results).to.deep.equal([])
  })

  it('fails with the failure of the first platform if none has answered', async () => {
    const cause = new StepError('platform_blocked', { transient: true, retryAfterSeconds: 30 })
    const failure = await failureOf(searchIn({ youtube: fails(cause), x: fails(new StepError('upstream_error')) }))
    expect(failure).to.be.instanceOf(SearchFailed)
    expect(failure).to.include({
      platform: 'youtube',
      code: 'platform_blocked',
      transient: true,
      retryAfterSeconds: 30,
    })
    expect((failure as SearchFailed).cause).to.equal(cause)
  })

  it('names the variables to set for a platform without a source', async () => {
    const failure = await failureOf(searchIn({ youtube: finds('youtube', ['y1']) }, { platform: 'tiktok' }))
    expect(failure).to.be.instanceOf(SearchNotConfigured)
    expect(String(failure)).to.match(/TikTok.*BRAVE_API_KEY or SEARXNG_URL/)
  })

  it('continues without a platform that takes too long', async () => {
    const found = await searchIn({ youtube: finds('youtube', ['y1']), x: hangs() }, {}, { findMs: 5 })
    expect(titles(found.results)).to.deep.equal(['y1'])
    expect(found.incomplete).to.include('x')
    expect(await failureOf(searchIn({ x: hangs() }, { platform: 'x' }, { findMs: 5 }))).to.include({
      platform: 'x',
      code: 'upstream_error',
      transient: true,
    })
  })

  it('ends with the reason of its signal, both while searching and while reading details', async () => {
    const reason = new Error('gone')
    for (const x of [hangs(), { ...hangs(), find: finds('x', ['x1']).find }]) {
      const abort = new AbortController()
      const running = failureOf(searchIn({ x }, {}, {}, abort.signal))
      setImmediate(() => abort.abort(reason))
      expect(await running).to.equal(reason)
    }
  })

  it('lets our own errors through', async () => {
    const ours = new TypeError('a mistake')
    expect(await failureOf(searchIn({ x: fails(ours) }))).to.equal(ours)
  })
})

describe('the details of search results', () => {
  const details: Details = {
    author: 'Ann',
    thumbnail: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    stats: { ...none, likes: 5 },
  }
  const withViews = (read: SearchSource['details']): SearchSource => ({
    find: async () => ({
      items: [{ ...result('x', 'x1'), thumbnail: 'kept', stats: { ...none, views: 3 } }],
      next: null,
    }),
    details: read,
  })

  it('complete the results of the search, and remove nothing', async () => {
    expect((await searchIn({ x: withViews(async () => details) })).results).to.deep.equal([
      {
        ...result('x', 'x1'),
        author: 'Ann',
        thumbnail: 'kept',
        createdAt: '2026-01-01T00:00:00.000Z',
        stats: { views: 3, likes: 5, comments: null, shares: null },
      },
    ])
  })

  it('are read only for the returned results, a few at a time', async () => {
    let atOnce = 0
    let most = 0
    const read: string[] = []
    const source = finds('x', ['x1', 'x2', 'x3', 'x4', 'x5'], async ({ title }) => {
      most = Math.max(most, ++atOnce)
      read.push(title ?? '')
      await new Promise((resolve) => setImmediate(resolve))
      atOnce--
      return undefined
    })
    await searchIn({ x: source }, { limit: 4 }, { parallel: 2 })
    expect([read, most]).to.deep.equal([['x1', 'x2', 'x3', 'x4'], 2])
  })

  it('are optional: a result is thin if the pace prevents them, not if the video is unreadable', async () => {
    const asked: unknown[] = []
    const thinBy = async (failure: Error) => {
      const source = withViews(async (_, { isOptional }) => {
        asked.push(isOptional)
        throw failure
      })
      return (await searchIn({ x: source })).isThin
    }
    expect([await thinBy(new PaceError(1000)), await thinBy(new StepError('video_private'))]).to.deep.equal([
      true,
      false,
    ])
    expect(asked).to.deep.equal([true, true])
  })

  it('leave a result unchanged when they fail or take too long', async () => {
    for (const source of [
      withViews(() => Promise.reject(new StepError('video_private'))),
      withViews(hangs().details),
    ]) {
      const found = await searchIn({ x: source }, {}, { detailsMs: 5 })
      expect(found.results.map(({ thumbnail }) => thumbnail)).to.deep.equal(['kept'])
      expect(found.incomplete).to.not.include('x')
    }
  })
})
