import { expect } from 'chai'
import { platformNames, type SocialPlatform } from '#packages/platforms/registry.ts'
import type { Disturbance } from '#services/sandbox/disturbance.ts'
import { facebookFields } from '#services/sandbox/facebook/fields.fixture.ts'
import { instagramFields } from '#services/sandbox/instagram/fields.fixture.ts'
import { everyVideo, sandboxPlatforms } from '#services/sandbox/sandbox-platforms.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { tiktokFields } from '#services/sandbox/tiktok/fields.fixture.ts'
import { xFields } from '#services/sandbox/x/fields.fixture.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { youtubeFields } from '#services/sandbox/youtube/fields.fixture.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { codeOf } from '#test/doubles/service/platform-troubles.ts'
import { changedIn } from './cells.ts'
import { startDriftHarness } from './drift.harness.ts'

/** yt-dlp computes the thumbnail's address from the id. */
const { thumbnail: _, ...ofYouTube } = youtubeFields
/** A Facebook video without a title is named after its description. */
const { description, ...others } = facebookFields
const ofFacebook = { ...others, title: [...others.title, ...description] }

/** For each field that the check reports: how to remove it in the sandbox. */
const fieldsOf: Record<SocialPlatform, Record<string, Disturbance[]>> = {
  youtube: ofYouTube,
  tiktok: tiktokFields,
  instagram: instagramFields,
  x: xFields,
  facebook: ofFacebook,
}

describe('the check for drift, of videos', function () {
  this.timeout(120_000)
  const watch = openedForAll(startDriftHarness)

  for (const platform of platformNames) {
    const { videos } = sandboxPlatforms[platform]
    const url = videos[0]?.url ?? ''
    const check = () => watch.check({ examples: { [platform]: { urls: [url] } } })

    it(`finds nothing changed in a video of ${platform}`, async () => {
      const cells = await check()
      expect(cells.map(({ operation }) => operation)).to.deep.equal(['metadata', 'captions', 'media'])
      expect(cells.flatMap(changedIn)).to.deep.equal([])
      expect(cells.flatMap(({ attempts }) => attempts.filter(({ kind }) => kind === 'refused'))).to.deep.equal([])
    })

    for (const [field, disturbances] of Object.entries(fieldsOf[platform]))
      it(`names the field ${field} of ${platform}, and no other, once it is gone`, async () => {
        using _gone = watch.without(disturbances)
        expect((await check()).flatMap(changedIn)).to.deep.equal([field === 'published' ? 'createdAt' : field])
      })
  }

  it('distinguishes a platform that refuses from one that has changed', async () => {
    const [, video] = youtubeVideos
    using _refusal = watch.sandbox.disturb({ host: 'www.youtube.com', how: { kind: 'answer', status: 429 } })
    const cells = await watch.check({ examples: { youtube: { urls: [video?.url ?? ''] } } })
    expect(cells.flatMap(changedIn)).to.deep.equal([])
    const codes = cells.flatMap(({ attempts }) => attempts.map((attempt) => attempt.kind === 'refused' && attempt.code))
    expect(new Set(codes)).to.deep.equal(new Set(['platform_blocked']))
  })

  it('distinguishes withheld captions from missing ones', async () => {
    const held = youtubeVideos.find(({ trouble }) => trouble === 'captions_withheld')
    const cells = await watch.check({ examples: { youtube: { urls: [held?.url ?? ''] } } })
    expect(cells.flatMap(changedIn)).to.deep.equal([])
    const refusedOf = cells.flatMap(({ operation, attempts }) =>
      attempts.flatMap((attempt) => (attempt.kind === 'refused' ? [[operation, attempt.code]] : [])),
    )
    expect(refusedOf).to.deep.equal([['captions', 'platform_blocked']])
  })

  it('reports a refusal by the service’s own code', async () => {
    const troubles = [
      'bot_check',
      'bot_check_interstitial',
      'private_interstitial',
      'other_video',
      'needs_reload',
      'login_wall',
    ]
    const videos = everyVideo.filter(({ trouble = '' }) => troubles.includes(trouble))
    for (const video of videos) {
      const { platform, url } = video
      const [metadata] = await watch.check({ examples: { [platform]: { urls: [url] } } })
      expect(metadata?.attempts[0], url).to.include({ kind: 'refused', code: codeOf(video) })
    }
  })

  it('reports yt-dlp’s message if nothing can be read any more', async () => {
    const [video] = tiktokVideos
    using _change = watch.sandbox.disturb({
      host: 'www.tiktok.com',
      how: { kind: 'answer', status: 200, body: '<html>Please wait... in another way</html>' },
    })
    const [metadata] = await watch.check({ examples: { tiktok: { urls: [video?.url ?? ''] } } })
    expect(metadata && changedIn(metadata).join()).to.match(/please report this issue/)
  })
})
