import { expect } from 'chai'
import { createEgress } from '#packages/egress/egress.ts'
import { addressOf } from '../exit-address.ts'
import { loadMedia, type Media } from '../media.ts'
import type { SandboxRequest, Site } from '../site.ts'
import { type SandboxWorld, startSandboxWorld } from '../world.ts'
import { youtubeVideos } from './catalogue.ts'
import { streamingData } from './formats.ts'
import { searchResponse } from './search.ts'
import { youtubeSites } from './site.ts'

const now = new Date('2026-11-20T00:00:00Z')
const [first] = youtubeVideos

describe('the sandbox’s YouTube', () => {
  let media: Media
  let sandbox: SandboxWorld
  before(async function () {
    // the films may have to be made
    this.timeout(60_000)
    media = await loadMedia()
    sandbox = await startSandboxWorld()
  })
  after(() => sandbox?.close())

  async function statusOf(url: string, exit: string, headers: Record<string, string> = {}): Promise<number> {
    const proxy = sandbox.proxyUrl.replace('//', `//${exit}:-@`)
    await using egress = createEgress({ proxy, caFile: sandbox.caFile })
    await using answer = await egress.request(url, { signal: AbortSignal.timeout(5_000), maxBytes: 1_000_000, headers })
    return answer.status
  }

  it('hands media out to the exit that it was signed for, and to nobody else', async () => {
    if (!first) return expect.fail('the catalogue is empty')
    const data = streamingData(first, media, addressOf('mine')) as { formats: { url: string }[] }
    const url = data.formats[0]?.url ?? ''
    expect(await statusOf(url, 'mine')).equal(200)
    expect(await statusOf(url, 'mine', { range: 'bytes=0-99' })).equal(206)
    expect(await statusOf(url, 'another')).equal(403)
    expect(await statusOf(url.replace(/expire=\d+/, 'expire=1'), 'mine')).equal(403)
  })

  it('finds a largest page of videos, and the rest behind its token', () => {
    const ids = (answer: object): string[] =>
      JSON.stringify(answer).match(/(?<="videoId":")[^"]+(?=","thumbnail")/g) ?? []
    const page = searchResponse('sense page', 0, now)
    const rest = searchResponse('sense page', 20, now)
    expect([ids(page).length, ids(rest).length]).eql([20, 4])
    expect(new Set([...ids(page), ...ids(rest)]).size).equal(24)
    expect(JSON.stringify(page)).include('continuationCommand')
    expect(JSON.stringify(rest)).not.include('continuationCommand')
  })

  it('does not find what is not public', () => {
    expect(JSON.stringify(searchResponse('a letter to nobody', 0, now))).not.include('nvlPrivate1')
  })

  it('knows nothing of ids that it never gave', async () => {
    const [site] = youtubeSites(media) as [Site]
    const request: SandboxRequest = {
      method: 'POST',
      url: new URL('https://www.youtube.com/youtubei/v1/player'),
      headers: {},
      body: Buffer.from('{"videoId":"neverGiven1"}'),
      exit: undefined,
    }
    expect(JSON.stringify((await site.answer(request))?.body)).include('This video is unavailable')
  })
})
