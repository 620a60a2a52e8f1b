/** Reads of the five platforms while a caller waits: metadata, search and profiles, on the sandbox. */
import { expect } from 'chai'
import type { InstagramProfile, SearchResult, TikTokProfile, VideoMetadata } from '#contracts/generated/http.ts'
import { tagsOf } from '#packages/platforms/reading/tags.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { facebookVideos } from '#services/sandbox/facebook/catalogue.ts'
import { postUrlsOf } from '#services/sandbox/facebook/post-page.ts'
import { secondsOf } from '#services/sandbox/films.ts'
import { instagramCreators } from '#services/sandbox/instagram/catalogue.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { tiktokCreators, tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { linkToNews, textPost } from '#services/sandbox/x/catalogue.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { clipIdOf } from '#services/sandbox/youtube/clip-page.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { bodyOf, refusedField } from '#test/doubles/service/client.ts'
import { codeOf, isTransient } from '#test/doubles/service/platform-troubles.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { platforms } from '#test/doubles/service/sandbox-videos.ts'

/** Numbers that a platform does not show to guests. */
const untold: Partial<Record<SocialPlatform, readonly (keyof VideoMetadata)[]>> = { instagram: ['viewCount'] }

/** The fields that metadata and results of a search have in common. */
const described = [
  ...['platform', 'title', 'author', 'authorId', 'authorUrl'],
  ...['duration', 'thumbnail', 'description', 'tags', 'isLive'],
]

const ofPlatform = (platform: SocialPlatform) => everyVideo.filter((video) => video.platform === platform)
const plays = ({ trouble, title }: CatalogueVideo) => trouble === undefined && !/page \d/.test(title)
/** Refused, but YouTube shows it to pages that embed it: `platform-second-ways`. */
const isEmbedded = ({ platform, trouble }: CatalogueVideo) => platform === 'youtube' && trouble === 'bot_check'

describe('reads of the five platforms', function () {
  this.timeout(120_000)
  const setting = openedForAll(() => SandboxSetting.start({ sessions: true }))
  const me = madeForAll(() => setting.client())

  const metadata = (url: string) => me.metadata(url)
  const search = (query: string) => me.get(`/v1/search?q=audiobook&${query}`)

  for (const platform of platforms) {
    it(`metadata of ${platform} has every field of the specification`, async () => {
      const videos = ofPlatform(platform).filter(plays)
      expect(videos).to.not.be.empty
      for (const video of videos) {
        const found = bodyOf<VideoMetadata>(await metadata(video.url))
        const counts = ['viewCount', 'likeCount', 'commentCount', 'shareCount']
        expect(Object.keys(found)).to.have.members([...described, ...counts, 'publishedAt'])
        const shown = { platform, author: video.creator.name, viewCount: video.views, likeCount: video.likes }
        const hidden = Object.fromEntries((untold[platform] ?? []).map((field) => [field, null]))
        expect(found).to.include({ ...shown, ...hidden })
        // Some platforms leave out links at the end of a text.
        expect(video.description).to.include(found.description?.slice(0, 20))
        expect(found.authorId).to.equal(video.creator.id)
        expect(found.authorUrl).to.match(/^https:\/\/(?:www\.)?(?:youtube|tiktok|instagram|x|facebook)\.com\/./)
        expect(Date.parse(found.publishedAt ?? '')).to.equal(Date.parse(video.published))
        expect(found.commentCount).to.equal(video.comments)
        expect(found.shareCount).to.be.oneOf(['tiktok', 'x'].includes(platform) ? [video.shares] : [video.shares, null])
        expect(found.tags ?? []).to.deep.equal(tagsOf(found.description))
        expect(found.isLive).to.equal(platform === 'youtube' ? false : null)
        // X makes titles itself, and cuts them.
        expect(found.title).to.include(video.title.slice(0, 20))
        expect(found.duration).to.be.closeTo(secondsOf(video.film), 1)
        expect(found.thumbnail).to.match(/^https:\/\//)
      }
    })

    it(`metadata of a video of ${platform} that does not play gives the reason`, async () => {
      const troubled = ofPlatform(platform).filter((video) => codeOf(video) && !isEmbedded(video))
      expect(troubled).to.not.be.empty
      for (const video of troubled) {
        const code = codeOf(video)
        const { status, body } = await metadata(video.url)
        expect(
          { status, error: body.error, details: body.details, said: body.message !== '' },
          `${video.trouble} ${video.url}`,
        ).to.deep.equal({
          ...(code && isTransient(code)
            ? { status: 502, error: 'upstream_error' }
            : { status: 404, error: 'not_found' }),
          details: { platform, code },
          said: true,
        })
      }
    })

    it(`search of ${platform} gives results that every other operation accepts`, async () => {
      const answer = await search(`platform=${platform}&limit=3`)
      expect(answer.headers.get('x-search-incomplete')).to.equal(null)
      const results = bodyOf<SearchResult[]>(answer)
      expect(results).to.have.lengthOf.within(1, 3)
      for (const result of results) {
        const { url, ...fields } = result
        expect(Object.keys(fields)).to.have.members([...described, 'stats', 'createdAt'])
        const video = everyVideo.find((one) => one.url === url)
        expect(result.authorId).to.equal(video?.creator.id)
        expect(Object.keys(fields.stats)).to.have.members(['views', 'likes', 'comments', 'shares'])
        expect(video?.platform, url).to.equal(platform)
        expect(Date.parse(result.createdAt ?? '')).to.equal(Date.parse(video?.published ?? ''))
        // A search also finds videos that cannot be played.
        expect((await metadata(url)).status, url).to.equal(video && codeOf(video) ? 404 : 200)
      }
    })
  }

  it('a live video has metadata under its own title, and an upcoming one has none', async () => {
    for (const video of everyVideo.filter(({ trouble }) => trouble === 'live'))
      expect(bodyOf<VideoMetadata>(await metadata(video.url))).to.include({
        title: video.title,
        duration: null,
        isLive: true,
      })
    for (const video of everyVideo.filter(({ trouble }) => trouble === 'upcoming')) {
      const { status, body } = await metadata(video.url)
      const [{ path, code } = {}] = body.details as { path?: string; code?: string }[]
      expect([status, body.error, path, code]).to.deep.equal([400, 'invalid_request', 'url', 'live_not_ended'])
    }
  })

  it('a post without a video is 404', async () => {
    const { status, body } = await metadata(textPost.url)
    expect([status, body.error], JSON.stringify(body)).to.deep.equal([404, 'not_found'])
  })

  it('searches all platforms at once, each in turn', async () => {
    const answer = await search('limit=10')
    const found = bodyOf<SearchResult[]>(answer).map(({ platform }) => platform)
    expect(answer.headers.get('x-search-incomplete')).to.equal(null)
    expect(found.slice(0, platforms.length)).to.have.members(platforms)
  })

  it('limit bounds the results: 1 to 20, default 6', async () => {
    const lengths = await Promise.all(
      ['limit=1', '', 'limit=20'].map(async (limit) => bodyOf<SearchResult[]>(await search(limit)).length),
    )
    expect(lengths).to.deep.equal([1, 6, 20])
    for (const limit of ['0', '21', '-1', '1.5', 'six', ''])
      expect(refusedField(await search(`limit=${limit}`)), limit).to.deep.equal([400, 'limit'])
  })

  it('a TikTok profile is complete, other operations accept its videos, and limit bounds them: 1 to 24', async () => {
    const creator = tiktokCreators.find(({ videos, profile }) => videos > 10 && profile === 'open')
    if (!creator) throw new Error('there is no such creator')
    const read = async (query: string) => await me.read<TikTokProfile>(`/v1/tiktok/profile?${query}`)
    const url = `https://www.tiktok.com/@${creator.handle}`
    const profile = await read(`username=@${creator.handle}&limit=24`)
    expect(profile).to.deep.include({
      platform: 'tiktok',
      type: 'profile',
      username: creator.handle,
      url,
      stats: {
        followers: creator.followers,
        following: creator.following,
        likes: creator.likes,
        videos: creator.videos,
      },
    })
    expect(profile.videos).to.have.lengthOf.within(2, 24)
    const [first] = profile.videos
    const published = tiktokVideos.find(({ url }) => url === first?.url)
    expect(first).to.include({ platform: 'tiktok', type: 'video', createdAt: published?.published })
    expect(first?.tags).to.include('audiobook').and.not.include('#audiobook')
    for (const video of profile.videos.slice(0, 2)) expect((await metadata(video.url)).status).to.equal(200)
    expect((await read(`url=${encodeURIComponent(url)}&limit=1`)).videos).to.have.lengthOf(1)
  })

  it('an Instagram profile is complete, and other operations accept its items and their films', async () => {
    const creator = instagramCreators[0]
    if (!creator) throw new Error('there is no such creator')
    const read = async (query: string) => await me.read<InstagramProfile>(`/v1/instagram/profile?${query}`)
    const profile = await read(`username=${creator.handle}`)
    expect(profile).to.deep.include({
      platform: 'instagram',
      type: 'profile',
      username: creator.handle,
      description: creator.bio,
    })
    expect(profile.stats).to.include({ followers: creator.followers, following: creator.following })
    const film = profile.videos.find(({ type }) => type === 'video')
    expect(film?.additionalData?.shortcode).to.be.a('string')
    expect(film?.url).to.include(String(film?.additionalData?.shortcode))
    expect((await metadata(film?.url ?? '')).status).to.equal(200)
    expect((await metadata(film?.media?.videoUrl ?? '')).status).to.equal(200)
    expect((await read(`username=${creator.handle}&limit=1`)).videos).to.have.lengthOf(1)
  })

  for (const platform of ['tiktok', 'instagram'])
    it(`a profile of ${platform} that does not exist is 404, and limits out of range are 400`, async () => {
      const { status, body } = await me.get(`/v1/${platform}/profile?username=nobody.at.all`)
      expect([status, body.error, body.details]).to.deep.equal([
        404,
        'not_found',
        { platform, code: 'profile_not_found' },
      ])
      for (const limit of ['0', '25', '1.5', 'x'])
        expect((await me.get(`/v1/${platform}/profile?username=a&limit=${limit}`)).status, limit).to.equal(400)
    })

  it('a short link is followed to its video, and one that leads to none is 404', async () => {
    const [post] = tiktokVideos
    for (const host of ['vm.tiktok.com', 'vt.tiktok.com', 'www.tiktok.com/t']) {
      const short = bodyOf<VideoMetadata>(await metadata(`https://${host}/${post?.shortCode}/`))
      expect(short).to.include({ platform: 'tiktok', author: post?.creator.name, viewCount: post?.views })
    }
    const { status, body } = await metadata('https://vm.tiktok.com/ZSgone/')
    expect([status, body.details]).to.deep.equal([404, { platform: 'tiktok', code: 'video_unavailable' }])
  })

  it('a post, a clip and redirect pages around them are read like their video', async () => {
    const posted = facebookVideos.find(({ captions }) => captions.length > 0) ?? expect.fail('no captions')
    const clipped = youtubeVideos.find(({ captions }) => captions.length > 0) ?? expect.fail('no captions')
    const clip = `https://www.youtube.com/clip/${clipIdOf(clipped)}`
    const wrapped = (url: string) => `https://l.facebook.com/l.php?u=${encodeURIComponent(url)}&h=AT0`
    const [post, inGroup] = postUrlsOf(posted)
    for (const [url, { platform, creator, views }] of [
      [post, posted],
      [inGroup.replace('/posts/', '/permalink/'), posted],
      [wrapped(post), posted],
      [wrapped(clip), clipped],
    ] as const) {
      const found = bodyOf<VideoMetadata>(await metadata(url))
      expect(found, url).to.include({ platform, author: creator.name, viewCount: views })
    }
  })

  it('a short link to a foreign page is 400, and that page is not requested', async () => {
    const { status, body } = await metadata(linkToNews.url)
    expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    expect(body.details).to.deep.equal([
      { path: 'url', message: "leads to a host that is none of the platforms'", code: 'video_unavailable' },
    ])
  })

  it('hosts that only look like a platform are 400, and are not asked', async () => {
    const from = setting.sandbox.traffic.of().length
    const urls = [
      'https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ',
      'https://evil-youtube.com/watch?v=dQw4w9WgXcQ',
      'https://www.youtube.com@evil.example/watch?v=dQw4w9WgXcQ',
      'https://www.youtube.com\\@evil.example/watch?v=dQw4w9WgXcQ',
      'https://уoutube.com/watch?v=dQw4w9WgXcQ',
      'https://tiktok.com.evil.example/@a/video/7571863205253778710',
      'https://faceb00k.com/watch/?v=1',
      'https://netflix.com/a/status/1',
      'https://evil.example/?u=https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      'https://www.instagram.com/stories/somebody/3570766765028588805/',
    ]
    for (const url of urls)
      for (const answer of [await metadata(url), await me.transcript({ url })])
        expect(refusedField(answer), url).to.deep.equal([400, 'url'])
    expect(setting.sandbox.traffic.of()).to.have.lengthOf(from)
  })

  it('all of this was free, and went nowhere but where it should', async () => {
    expect(await me.credits()).to.equal(50)
    expect(setting.sandbox.refused).to.deep.equal([])
  })
})
