import { expect } from 'chai'
import { tryReader } from '../site.harness.ts'
import { type YouTubeVideo, youtubeVideos } from './catalogue.ts'
import { youtubeSites } from './site.ts'
import { startTokenService, type TokenService } from './token-service.harness.ts'

const behindWall = youtubeVideos.find(({ trouble }) => trouble === 'bot_check') as YouTubeVideo
const open = youtubeVideos.filter(({ trouble }) => trouble === undefined) as [YouTubeVideo, YouTubeVideo]

describe('the sandbox’s YouTube, read by our reader with a service for proof tokens', function () {
  this.timeout(60_000)
  let tokens: TokenService
  const harness = tryReader(youtubeSites, async (opened) => {
    tokens = opened.use(await startTokenService())
    return { potUrl: tokens.url }
  })
  const codeOf = (reading: Promise<unknown>) => reading.then(() => undefined).catch(({ code }) => code)

  it('admits videos behind the bot wall with a player token minted through the exit that uses it', async () => {
    const { title, channel, formats } = await harness.infoOf(behindWall, 'mine')
    expect([title, channel]).to.deep.equal([behindWall.title, behindWall.creator.name])
    expect(formats).to.not.be.empty
    expect(tokens.requests).to.deep.include({ content: behindWall.id, proxy: proxyOf('mine') })
    expect(new Set(tokens.requests.map(({ proxy }) => proxy))).to.deep.equal(new Set([proxyOf('mine')]))
  })

  it('does not admit it with a token from another address', async () => {
    expect(await codeOf(harness.infoOf(behindWall, 'yours', 'elsewhere'))).to.equal('platform_blocked')
  })

  it('reads other videos even if the service fails, and then does not call it for a while', async () => {
    tokens.fail()
    tokens.requests.length = 0
    for (const video of open.slice(0, 2)) expect(await harness.infoOf(video, 'late')).to.include({ title: video.title })
    expect(tokens.requests).to.have.lengthOf(1)
  })

  const proxyOf = (exit: string) => harness.sandbox.proxyUrl.replace('//', `//${exit}:-@`)
})
