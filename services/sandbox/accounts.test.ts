import { expect } from 'chai'
import { createInstagramProfiles } from '#packages/platforms/instagram/profile.ts'
import type { ProfileReader } from '#packages/platforms/platform-definition.ts'
import type { SiteOptions } from '#packages/platforms/reading/ask-platform.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import { createTikTokProfiles } from '#packages/platforms/tiktok/profile.ts'
import type { OwnReader } from '#packages/platforms/ytdlp/create-reader.ts'
import { writeCookies } from '#test/doubles/cookie-file.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { instagramVideos } from './instagram/catalogue.ts'
import { instagramSites } from './instagram/site.ts'
import { trySites } from './site.harness.ts'
import { tiktokVideos } from './tiktok/catalogue.ts'
import { tiktokSites } from './tiktok/site.ts'

const profilesOf: Record<
  ProfilePlatform,
  (options: SiteOptions) => ProfileReader<{ videos: { title: string | null }[] }>
> = {
  tiktok: createTikTokProfiles,
  instagram: createInstagramProfiles,
}

describe('an operator’s accounts', function () {
  this.timeout(60_000)
  const harness = trySites((films) => [...tiktokSites(films), ...instagramSites(films)])
  const directory = directoryForAll()
  let asGuest: OwnReader
  let signedIn: OwnReader

  before(async () => {
    for (const platform of ['tiktok', 'instagram']) await writeCookies(directory.path, platform)
    asGuest = await harness.openReader()
    signedIn = await harness.openReader({ cookiesDirectory: directory.path })
  })

  const { signal } = new AbortController()
  const infoOf = (reader: OwnReader, { url: canonicalUrl, platform }: CatalogueVideo) =>
    reader.info({ canonicalUrl, platform, route: harness.routeOf('mine'), signal })
  const codeOf = async (reader: OwnReader, video: CatalogueVideo) => (await failureOf(infoOf(reader, video))).code
  const titlesOf = async (reader: OwnReader, platform: ProfilePlatform, username: string) => {
    const options: SiteOptions = {
      browse: (question) => reader.page({ ...question, platform, route: harness.routeOf('mine'), signal }),
      report: ({ drift }) => expect.fail(JSON.stringify(drift)),
    }
    const { profile } = await profilesOf[platform](options).first(username, { owner: 'x', refusals: 0, signal })
    return profile.videos.map(({ title }) => title)
  }
  const troubled = (videos: readonly CatalogueVideo[], title: string): CatalogueVideo =>
    videos.find((one) => one.title === title) ?? expect.fail(title)

  it('read public videos and profiles that are hidden from guests', async () => {
    for (const video of [tiktokVideos, instagramVideos].map((all) => troubled(all, 'For those who signed in'))) {
      expect(await codeOf(asGuest, video)).to.be.oneOf(['login_required', 'platform_blocked'])
      expect((await infoOf(signedIn, video)).description).to.equal('For those who signed in')
    }
    for (const [platform, username] of [
      ['tiktok', 'behind.a.wall'],
      ['instagram', 'please_wait_here'],
    ] as const) {
      expect((await failureOf(titlesOf(asGuest, platform, username))).code).to.equal('platform_blocked')
      expect(await titlesOf(signedIn, platform, username)).to.deep.equal([])
    }
  })

  for (const [what, video, code] of [
    ['a private video of TikTok', troubled(tiktokVideos, 'A letter to nobody'), 'video_private'],
    ['a video of a private account of TikTok', troubled(tiktokVideos, 'Dear diary'), 'video_private'],
    ['a post of a private account of Instagram', troubled(instagramVideos, 'A trunk, locked'), 'video_private'],
    ['a post for close friends on Instagram', troubled(instagramVideos, 'For close friends'), 'login_required'],
  ] as const)
    it(`do not show customers ${what}`, async () => {
      const codes = [await codeOf(asGuest, video), await codeOf(signedIn, video)]
      expect(codes).to.deep.equal([code, code])
    })

  it('do not show customers what profiles show only to followers, close friends or the creator', async () => {
    for (const [platform, username] of [
      ['tiktok', 'closed_diary'],
      ['instagram', 'locked.attic'],
    ] as const)
      expect(await titlesOf(signedIn, platform, username)).to.deep.equal([])
    for (const [platform, username, hidden] of [
      ['tiktok', 'pageturners', 'A letter to nobody'],
      ['instagram', 'garden.almanac', 'For close friends'],
    ] as const) {
      const titles = await titlesOf(signedIn, platform, username)
      expect(titles).to.have.length.above(9).and.not.include(hidden)
    }
  })
})
