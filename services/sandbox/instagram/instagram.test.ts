import { expect } from 'chai'
import type { StepError } from '#packages/foundation/errors/step-error.ts'
import { createInstagramProfiles } from '#packages/platforms/instagram/profile.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { trySites } from '../site.harness.ts'
import { type InstagramPost, instagramPictures, instagramVideos } from './catalogue.ts'
import { mediaIdOf } from './media-id.ts'
import { instagramSites } from './site.ts'

const posts = [...instagramVideos, ...instagramPictures]
const postOf = (id: string): InstagramPost => posts.find((one) => one.id === id) as InstagramPost

describe('the sandbox’s Instagram', () => {
  const harness = trySites(instagramSites)
  const { ask, leadsTo, statusOf } = harness

  describe('its profiles, read by our reader', () => {
    const { profileOf, codeOf } = harness.profilesBy(createInstagramProfiles, 'instagram')

    it('have their numbers and the twelve latest posts, newest first', async () => {
      const { videos, ...profile } = await profileOf('garden.almanac')
      expect(profile).to.deep.include({
        description: 'What to sow, and what to read meanwhile.',
        stats: { followers: 15_430, following: 211, posts: null },
      })
      expect(profile.author).to.include({
        username: 'garden.almanac',
        displayName: 'The Garden Almanac',
        verified: true,
      })
      expect(videos).to.have.lengthOf(12)
      expect(videos.slice(0, 4).map(({ type, media }) => [type, media.type])).to.deep.equal([
        ['video', 'video'],
        ['sidecar', 'image'],
        ['post', 'image'],
        ['sidecar', 'image'],
      ])
      for (const { url, createdAt, stats, title, additionalData } of videos) {
        const post = postOf(String(additionalData.shortcode))
        expect([url, createdAt, title]).to.deep.equal([post.url, post.published, post.description])
        // The page has no numbers.
        expect(stats).to.deep.equal({ views: null, likes: null, comments: null, shares: null })
        expect(parseVideoUrl(url)).to.include({ accepted: true, canonical: url })
      }
      expect(videos[0]?.tags).to.deep.equal(['audiobook', 'JaneAusten', 'garden'])
    })

    it('have videos with direct files for any caller', async () => {
      const { videos } = await profileOf('lighthouse_keeper')
      const { videoUrl = '', thumbnailUrl } = videos[0]?.media ?? {}
      expect(parseVideoUrl(videoUrl)).to.include({ accepted: true, kind: 'direct' })
      const { status, body } = await ask(videoUrl)
      expect([status, body.equals(harness.films.amiable.film.body)]).to.deep.equal([200, true])
      expect(await statusOf(thumbnailUrl ?? '')).to.equal(200)
    })

    it('have only a header if they are private', async () => {
      expect((await profileOf('locked.attic')).videos).to.deep.equal([])
    })

    it('are read with one request if the page has everything, else also from the interface', async () => {
      const requestsFor = async (username: string) => {
        harness.sandbox.traffic.clear()
        const { videos } = await profileOf(username)
        const paths = harness.sandbox.traffic.of({ host: 'www.instagram.com' }).map(({ path }) => path)
        return { paths, posts: videos.map(({ title, stats }) => [title, stats.likes]) }
      }
      const api = '/api/v1/users/web_profile_info/'
      expect((await requestsFor('lighthouse_keeper')).paths).to.deep.equal(['/lighthouse_keeper/'])
      // The page has no files, and the interface refuses.
      expect(await requestsFor('museum_of_maps')).to.deep.equal({
        paths: ['/museum_of_maps/', api],
        posts: [['A map of nowhere #maps', null]],
      })
      expect(await requestsFor('corner_shop')).to.deep.equal({
        paths: ['/corner_shop/', '/accounts/login/', api],
        posts: [['Soup, sold cold', 678]],
      })
    })

    it('fail if they do not exist, or if Instagram makes us wait', async () => {
      expect(await codeOf('nobody.at.all')).to.equal('profile_not_found')
      expect(await codeOf('please_wait_here')).to.equal('platform_blocked')
    })
  })

  it('redirects share links to the post, and the link of a removed one to the front page', async () => {
    for (const { kind, shareCode, url } of [postOf('DSandReel01'), postOf('DSandCaro01')]) {
      const path = kind === 'reel' ? 'reel/' : 'p/'
      for (const middle of ['', path])
        expect(await leadsTo(`https://www.instagram.com/share/${middle}${shareCode}`)).to.equal(url)
    }
    const gone = leadsTo('https://www.instagram.com/share/reel/BAgone').catch((error: StepError) => error.code)
    expect(await gone).to.equal('video_unavailable')
  })

  it('refuses files with a changed or expired address', async () => {
    const { videoUrl = '' } = await ask('https://www.instagram.com/p/DSandFeed01/').then(({ body }) => ({
      videoUrl: JSON.parse(`"${/"url":"([^"]+c2\.mp4[^"]*)"/.exec(body.toString())?.[1]}"`) as string,
    }))
    expect(await statusOf(videoUrl)).to.equal(200)
    expect((await ask(videoUrl.replace(/oe=\w+/, 'oe=1'))).body.toString()).to.equal('Bad URL hash')
    expect(await statusOf(videoUrl.replace('amiable', 'leisure'))).to.equal(403)
  })

  it('numbers posts as Instagram does', () => {
    expect(mediaIdOf('DH3tWudxIKB')).to.equal('3600545900919030401')
    expect(mediaIdOf(`DH3tWudxIKB${'x'.repeat(28)}`)).to.equal('3600545900919030401')
    expect(new Set(posts.map(({ id }) => mediaIdOf(id))).size).to.equal(posts.length)
  })
})
