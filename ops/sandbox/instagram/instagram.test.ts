import { expect } from 'chai'
import { createEgress, type Egress } from '#packages/egress/egress.ts'
import type { Exit } from '#packages/egress/exits.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { createInstagramProfiles } from '#packages/platforms/instagram/profile.ts'
import { parseVideoUrl } from '#packages/platforms/parse-video-url.ts'
import { resolveShortLink } from '#packages/platforms/short-links.ts'
import type { DriftReport } from '#packages/platforms/site.ts'
import { loadMedia } from '../media.ts'
import { type SandboxWorld, startSandboxWorld } from '../world.ts'
import { type InstagramPost, instagramPictures, instagramVideos } from './catalogue.ts'
import { mediaIdOf } from './media-id.ts'

const signal = AbortSignal.timeout(30_000)
const posts = [...instagramVideos, ...instagramPictures]
const postOf = (id: string): InstagramPost => posts.find((one) => one.id === id) as InstagramPost

describe('the sandbox’s Instagram', () => {
  let sandbox: SandboxWorld
  let egress: Egress & AsyncDisposable
  before(async () => {
    sandbox = await startSandboxWorld()
    egress = createEgress({ proxy: sandbox.proxyUrl, caFile: sandbox.caFile })
  })
  after(async () => {
    await egress?.[Symbol.asyncDispose]()
    await sandbox?.close()
  })

  async function get(url: string): Promise<{ status: number; body: Buffer }> {
    await using answer = await egress.request(url, { signal, maxBytes: 10_000_000 })
    const pieces: Uint8Array[] = []
    for await (const piece of answer.body) pieces.push(piece)
    return { status: answer.status, body: Buffer.concat(pieces) }
  }

  describe('its profiles, as our reader has them', () => {
    const reports: DriftReport[] = []
    const profileOf = (username: string, limit = 12) => {
      const exitOf = (): Exit => ({ address: 'sandbox', egress, proxyUrl: sandbox.proxyUrl })
      const read = createInstagramProfiles({ exitOf, report: (report) => reports.push(report) })
      return read({ username, limit }, { owner: 'request', refusals: 0, signal })
    }
    const codeOf = (username: string): Promise<unknown> =>
      profileOf(username).then(
        () => 'nothing thrown',
        (error) => (error instanceof StepError ? error.code : error),
      )
    after(() => expect(reports).eql([]))

    it('have their numbers and the twelve latest posts, newest first', async () => {
      const { videos, ...profile } = await profileOf('garden.almanac')
      expect(profile).deep.include({
        description: 'What to sow, and what to read meanwhile.',
        stats: { followers: 15_430, following: 211, posts: 14 },
      })
      expect(profile.author).include({ username: 'garden.almanac', displayName: 'The Garden Almanac', verified: true })
      expect(videos).lengthOf(12)
      expect(videos.slice(0, 4).map(({ type, media }) => [type, media.type])).eql([
        ['video', 'video'],
        ['sidecar', 'image'],
        ['post', 'image'],
        ['sidecar', 'image'],
      ])
      for (const { url, createdAt, stats, title, additionalData } of videos) {
        const post = postOf(String(additionalData.shortcode))
        expect([url, createdAt, stats.likes, title]).eql([post.url, post.published, post.likes, post.description])
        expect(parseVideoUrl(url)).include({ accepted: true, canonical: url })
      }
      expect(videos[0]?.tags).eql(['audiobook', 'JaneAusten', 'garden'])
      expect(videos[0]?.stats.views).equal(35_499)
    })

    it('give videos whose files are direct ones, for anybody', async () => {
      const { videos } = await profileOf('lighthouse_keeper')
      const { videoUrl = '', thumbnailUrl } = videos[0]?.media ?? {}
      expect(parseVideoUrl(videoUrl)).include({ accepted: true, kind: 'direct' })
      const { status, body } = await get(videoUrl)
      expect([status, body.equals((await loadMedia()).amiable.film.body)]).eql([200, true])
      expect((await get(thumbnailUrl ?? '')).status).equal(200)
    })

    it('have a header only where they are private, or refused by the interface', async () => {
      expect((await profileOf('locked.attic')).videos).eql([])
      expect(await profileOf('museum_of_maps')).deep.include({
        description: 'Maps of places that are not there.',
        stats: { followers: 15_430, following: 211, posts: null },
        videos: [],
      })
    })

    it('do not exist, or want us to wait', async () => {
      expect(await codeOf('nobody.at.all')).equal('video_unavailable')
      expect(await codeOf('please_wait_here')).equal('platform_blocked')
    })
  })

  it('leads from share links to the post, and from that of a removed one to its front page', async () => {
    const canonicalOf = async (link: string): Promise<string> => {
      const parsed = parseVideoUrl(link)
      if (parsed.kind !== 'short') return expect.fail(`${link} is no short link`)
      return (await resolveShortLink(parsed, egress, signal)).canonical
    }
    for (const { kind, shareCode, url } of [postOf('DSandReel01'), postOf('DSandCaro01')]) {
      const path = kind === 'reel' ? 'reel/' : 'p/'
      for (const middle of ['', path])
        expect(await canonicalOf(`https://www.instagram.com/share/${middle}${shareCode}`)).equal(url)
    }
    const gone = canonicalOf('https://www.instagram.com/share/reel/BAgone').catch((error: StepError) => error.code)
    expect(await gone).equal('video_unavailable')
  })

  it('refuses files whose address was changed or is over', async () => {
    const { videoUrl = '' } = await get('https://www.instagram.com/p/DSandFeed01/').then(({ body }) => ({
      videoUrl: JSON.parse(`"${/"url":"([^"]+c2\.mp4[^"]*)"/.exec(body.toString())?.[1]}"`) as string,
    }))
    expect((await get(videoUrl)).status).equal(200)
    expect((await get(videoUrl.replace(/oe=\w+/, 'oe=1'))).body.toString()).equal('Bad URL hash')
    expect((await get(videoUrl.replace('amiable', 'leisure'))).status).equal(403)
  })

  it('numbers posts as Instagram does', () => {
    expect(mediaIdOf('DH3tWudxIKB')).equal('3600545900919030401')
    expect(mediaIdOf(`DH3tWudxIKB${'x'.repeat(28)}`)).equal('3600545900919030401')
    expect(new Set(posts.map(({ id }) => mediaIdOf(id))).size).equal(posts.length)
  })
})
