import { expect } from 'chai'
import type { StepError } from '#packages/foundation/errors/step-error.ts'
import { createTikTokProfiles } from '#packages/platforms/tiktok/profile.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { trySites } from '../site.harness.ts'
import { tiktokCreators, tiktokPhotos, tiktokVideos } from './catalogue.ts'
import { captionsAddress, chainTokenOf, filmAddress, filmHosts, pictureAddress } from './cdn.ts'
import { tiktokSites } from './site.ts'

describe('the sandbox’s TikTok', () => {
  const harness = trySites(tiktokSites)
  const { leadsTo, statusOf } = harness

  describe('its profiles, read by our reader', () => {
    const { profileOf, codeOf } = harness.profilesBy(createTikTokProfiles, 'tiktok')

    it('have every digit of their numbers, and the ten latest videos, newest first', async () => {
      const [creator] = tiktokCreators
      const { videos, ...profile } = await profileOf('pageturners')
      expect(profile).to.deep.include({
        username: creator?.handle,
        stats: { followers: 783_427, following: 12, likes: 3_922_256, videos: 13 },
      })
      expect(profile.author).to.include({ displayName: creator?.name, verified: true })
      const latest = tiktokVideos
        .filter((video) => video.creator === creator && !video.trouble)
        .sort((a, b) => b.published.localeCompare(a.published))
        .slice(0, 10)
      expect(videos.map(({ url, createdAt, stats, title }) => [url, createdAt, stats.views, title])).to.deep.equal(
        latest.map(({ url, published, views, description }) => [url, published, views, description]),
      )
      expect(videos[0]?.tags).to.deep.equal(['audiobook', 'BookTok', 'JaneAusten'])
      for (const { url } of videos) expect(parseVideoUrl(url)).to.include({ accepted: true, canonical: url })
    })

    it('have no videos if they are private, not embeddable or new', async () => {
      for (const username of ['closed_diary', 'no.embeds', 'first_day'])
        expect((await profileOf(username)).videos, username).to.deep.equal([])
    })

    it('fail if they do not exist, or are an empty page', async () => {
      expect(await codeOf('nobody.at.all')).to.equal('profile_not_found')
      expect(await codeOf('behind.a.wall')).to.equal('platform_blocked')
    })

    it('are read from the page for embedding if a script fills their own', async () => {
      const { videos, stats } = await profileOf('paints.by.script')
      expect([videos.map(({ title }) => title), stats.followers, stats.videos]).to.deep.equal([
        ['A page, painted later'],
        912,
        null,
      ])
    })

    it('have no videos if that page lists those of a private account', async () => {
      expect(await profileOf('paints.alone')).to.deep.include({ username: 'paints.alone', videos: [] })
    })

    it('are read after a proof of work, and by another browser if the newest Chrome is refused', async () => {
      const asked = (path: string) => harness.sandbox.traffic.of({ host: 'www.tiktok.com', path }).length
      expect((await profileOf('toll.gate')).videos.map(({ title }) => title)).to.deep.equal(['What the toll was for'])
      // The proof answers one request only.
      expect([asked('/@toll.gate'), asked('/embed/@toll.gate')]).to.deep.equal([2, 2])
      for (const _ of ['refused', 'let in'])
        expect((await profileOf('old.clocks')).videos.map(({ title }) => title)).to.deep.equal([
          'A clock that runs late',
        ])
      // The browser that was admitted stays in use.
      expect([asked('/@old.clocks'), asked('/embed/@old.clocks')]).to.deep.equal([3, 2])
    })

    it('have pictures that exist', async () => {
      const { author, videos } = await profileOf('kettle.songs')
      for (const url of [author.avatarUrl, videos[0]?.media.thumbnailUrl])
        expect(await statusOf(url ?? '')).to.equal(200)
    })
  })

  it('redirects each kind of short link to the video, and a removed one’s to its front page', async () => {
    const [video] = tiktokVideos
    const [photo] = tiktokPhotos
    for (const start of ['vm.tiktok.com', 'vt.tiktok.com', 'www.tiktok.com/t']) {
      expect(await leadsTo(`https://${start}/${video?.shortCode}/`)).to.equal(video?.url)
      expect(await leadsTo(`https://${start}/${photo?.shortCode}`)).to.equal(photo?.url)
    }
    const gone = await leadsTo('https://vm.tiktok.com/ZSgone/').catch((error: StepError) => error.code)
    expect(gone).to.equal('video_unavailable')
  })

  it('serves films only for the exit and cookie in their signature', async () => {
    const url = filmAddress(filmHosts[0], 'leisure', 'plain', chainTokenOf('mine'))
    const signedFor = (exit: string) => ({ headers: { cookie: `a=1; tt_chain_token=${chainTokenOf(exit)}` } })
    expect(await statusOf(url, signedFor('mine'))).to.equal(200)
    expect(await statusOf(url, { headers: { ...signedFor('mine').headers, range: 'bytes=0-99' } })).to.equal(206)
    expect(await statusOf(url)).to.equal(403)
    expect(await statusOf(url, signedFor('another'))).to.equal(403)
    expect(await statusOf(url.replace(/expire=\d+/, 'expire=1'), signedFor('mine'))).to.equal(403)
    const others = filmAddress(filmHosts[0], 'leisure', 'plain', chainTokenOf('another'))
    expect(await statusOf(others, signedFor('mine'))).to.equal(403)
  })

  it('serves captions and pictures to any caller until their address expires', async () => {
    const [video] = tiktokVideos
    const captions = captionsAddress(video?.id ?? '', 'eng-US')
    const picture = pictureAddress('leisure', 'cover')
    expect([await statusOf(captions), await statusOf(picture)]).to.deep.equal([200, 200])
    expect(await statusOf(captions.replace(/[\da-f]{4}(?=\/video)/, '0000'))).to.equal(403)
    expect(await statusOf(picture.replace(/x-expires=\d+/, 'x-expires=1'))).to.equal(403)
  })

  it('shares the films of the sandbox', async () => {
    const url = filmAddress(filmHosts[1], 'chapter', 'plain', chainTokenOf('mine'))
    const headers = { cookie: `tt_chain_token=${chainTokenOf('mine')}` }
    expect((await harness.ask(url, { headers })).body.equals(harness.films.chapter.film.body)).to.equal(true)
  })
})
