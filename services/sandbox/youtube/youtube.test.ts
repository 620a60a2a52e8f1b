import { expect } from 'chai'
import { createYouTubeSearch } from '#packages/platforms/youtube/youtube.ts'

import { addressOf } from '../address-of.ts'
import { trySites } from '../site.harness.ts'
import type { SandboxRequest, Site } from '../site.ts'
import { youtubeVideos } from './catalogue.ts'
import { clipFormOf, clipIdOf } from './clip-page.ts'
import { youtubeSearchFields } from './fields.fixture.ts'
import { streamingData } from './formats.ts'
import { searchResponse } from './search.ts'
import { youtubeSites } from './site.ts'

const [first] = youtubeVideos

describe('the sandbox’s YouTube', () => {
  const harness = trySites(youtubeSites)
  const { statusOf, leadsTo } = harness

  it('serves media only for the exit in its signature', async () => {
    if (!first) return expect.fail('the catalogue is empty')
    const data = streamingData(first, harness.films, addressOf('mine')) as { formats: { url: string }[] }
    const url = data.formats[0]?.url ?? ''
    expect(await statusOf(url)).to.equal(200)
    expect(await statusOf(url, { headers: { range: 'bytes=0-99' } })).to.equal(206)
    expect(await statusOf(url, { exit: 'another' })).to.equal(403)
    expect(await statusOf(url.replace(/expire=\d+/, 'expire=1'))).to.equal(403)
  })

  it('shows the whole video of every clip, in both forms of the page, and none of a withdrawn clip', async () => {
    const clipped = youtubeVideos.filter(({ trouble }) => trouble === undefined).slice(0, 4)
    expect(new Set(clipped.map(clipFormOf)).size).to.equal(2)
    for (const video of clipped)
      expect(await leadsTo(`https://www.youtube.com/clip/${clipIdOf(video)}`)).to.equal(video.url)
    const failure = await leadsTo('https://www.youtube.com/clip/UgkxNeverGivenSandbox0001').catch(({ code }) => code)
    expect(failure).to.equal('video_unavailable')
  })

  it('finds a full page of videos, and the rest with its token', () => {
    const ids = (answer: object): string[] =>
      JSON.stringify(answer).match(/(?<="videoId":")[^"]+(?=","thumbnail")/g) ?? []
    const page = searchResponse('sense page', 0)
    const rest = searchResponse('sense page', 20)
    expect([ids(page).length, ids(rest).length]).to.deep.equal([20, 4])
    expect(new Set([...ids(page), ...ids(rest)]).size).to.equal(24)
    expect(JSON.stringify(page)).to.include('continuationCommand')
    expect(JSON.stringify(rest)).to.not.include('continuationCommand')
  })

  /** Searches the sandbox with our own reader. Returns the results, and the fields that it missed. */
  async function search(q: string, exit = 'whole'): Promise<{ titles: (string | null)[]; missed: string[] }> {
    const missed: string[] = []
    const source = createYouTubeSearch({
      browse: harness.browserOf('youtube', exit),
      report: ({ drift }) => void missed.push(...drift.map(({ field }) => field)),
    })
    const reading = { owner: 'tests', refusals: 0, signal: AbortSignal.timeout(10_000) }
    const { items } = await source.find({ q, token: null }, reading)
    return { titles: items.map(({ title }) => title), missed: [...new Set(missed)] }
  }

  it('is searched by our own reader', async () => {
    const { titles, missed } = await search('page 7 of sense')
    expect([titles.length, titles[0], missed]).to.deep.equal([20, 'Sense and Sensibility, page 7', []])
  })

  for (const [field, orders] of Object.entries(youtubeSearchFields))
    it(`can be without the field ${field} of search results, and our reader misses that one`, async () => {
      for (const order of orders) harness.sandbox.disturb({ ...order, exit: field })
      expect((await search('sense', field)).missed).to.deep.equal([`search.videos[].${field}`])
    })

  it('finds only public videos', () => {
    expect(JSON.stringify(searchResponse('a letter to nobody', 0))).to.not.include('nvlPrivate1')
  })

  it('answers unknown ids like deleted videos', async () => {
    const [site] = youtubeSites(harness.films) as [Site]
    const request: SandboxRequest = {
      method: 'POST',
      url: new URL('https://www.youtube.com/youtubei/v1/player'),
      headers: {},
      body: Buffer.from('{"videoId":"neverGiven1"}'),
      exit: undefined,
    }
    expect(JSON.stringify((await site.answer(request))?.body)).to.include('This video is unavailable')
  })
})
