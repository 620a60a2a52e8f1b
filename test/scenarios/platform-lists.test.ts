/** What platforms list, page by page: YouTube's channels and playlists, searches and profiles, on the sandbox. */
import { expect } from 'chai'
import type {
  Platform,
  SearchResult,
  TikTokProfile,
  YouTubeChannel,
  YouTubePlaylist,
} from '#contracts/generated/http.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { longShelf, shelf } from '#services/sandbox/youtube/shelf.ts'
import { madeForEach, openedForAll } from '#test/doubles/opened.ts'
import { type Answer, bodyOf, refusedField } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { until } from '#test/doubles/service/until.ts'

const ALL_BOOKS = 'PLlongShelfSandboxAllOfTheBooks001'
const newestFirst = (list: keyof typeof shelf): string[] => shelf[list].map(({ url }) => url).toReversed()

/** The query of the next page. Undefined if there is none. */
const nextOf = ({ headers }: Answer): string | undefined =>
  /<(\?[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
const remaining = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'))

describe('lists of the platforms', function () {
  this.timeout(120_000)
  const setting = openedForAll(() => SandboxSetting.start({ sessions: true }))
  const me = madeForEach(() => setting.client())

  /** All pages from a query on, by following their links. */
  async function pagesFrom<T>(path: string, query: string): Promise<T[]> {
    const pages: T[] = []
    for (let next: string | undefined = query; next !== undefined; ) {
      const answer: Answer = await me.get(`${path}${next}`)
      pages.push(bodyOf<T>(answer))
      next = nextOf(answer)
    }
    return pages
  }

  it('a channel is the same by URL, handle and id, and its pages have every video once, in order', async () => {
    const names = [`url=https://www.youtube.com/@${longShelf.handle}/videos`, 'handle=@LongShelf', `id=${longShelf.id}`]
    for (const name of names) {
      const channel = await me.read<YouTubeChannel>(`/v1/youtube/channel?${name}&limit=1`)
      expect(channel, name).to.deep.include({
        id: longShelf.id,
        username: longShelf.handle,
        description: longShelf.bio,
        stats: { followers: 1230, videos: 110 },
      })
      expect(channel.author).to.include({ displayName: longShelf.name, verified: true })
      expect(channel.videos.map(({ url }) => url)).to.deep.equal(newestFirst('videos').slice(0, 1))
    }
    const pages = await pagesFrom<YouTubeChannel>('/v1/youtube/channel', '?handle=longshelf&limit=47')
    expect(pages.map(({ videos }) => videos.length)).to.deep.equal([47, 47, 16])
    expect(pages.flatMap(({ videos }) => videos.map(({ url }) => url))).to.deep.equal(newestFirst('videos'))
    expect(pages.at(-1)?.nextCursor).to.equal(null)
  })

  it('lists shorts and live videos, and nothing of a type that a channel does not have', async () => {
    for (const type of ['shorts', 'lives'] as const) {
      const { videos } = await me.read<YouTubeChannel>(`/v1/youtube/channel?handle=longshelf&type=${type}`)
      expect(videos.map(({ url }) => url)).to.deep.equal(newestFirst(type))
      expect(videos.every(({ authorId }) => authorId === longShelf.id)).to.equal(true)
    }
    const live = await me.read<YouTubeChannel>('/v1/youtube/channel?handle=novelhour&type=lives')
    expect(live.videos.map(({ isLive, stats }) => [isLive, stats.views])).to.deep.equal([[true, null]])
    const none = await me.read<YouTubeChannel>('/v1/youtube/channel?handle=novelhour&type=shorts')
    expect([none.videos, none.nextCursor]).to.deep.equal([[], null])
  })

  it('a playlist continues by its cursor, and metadata and transcripts accept its videos', async () => {
    const first = await me.read<YouTubePlaylist>(`/v1/youtube/playlist?id=${ALL_BOOKS}&limit=100`)
    expect(first).to.deep.include({
      id: ALL_BOOKS,
      author: longShelf.name,
      authorId: longShelf.id,
      stats: { videos: 110 },
    })
    const url = encodeURIComponent(`https://www.youtube.com/watch?v=lngShelf001&list=${ALL_BOOKS}`)
    const rest = await me.get(`/v1/youtube/playlist?url=${url}&limit=100&cursor=${first.nextCursor}`)
    const videos = [...first.videos, ...bodyOf<YouTubePlaylist>(rest).videos]
    expect(videos.map((video) => video.url)).to.deep.equal(shelf.videos.map((video) => video.url))
    expect((await me.get(`/v1/metadata?url=${encodeURIComponent(videos[0]?.url ?? '')}`)).body).to.include({
      title: videos[0]?.title,
      authorId: videos[0]?.authorId,
    })
    const newer = await me.read<YouTubePlaylist>('/v1/youtube/playlist?id=PLnovelHourSandboxSomeOfThem000002')
    const [video] = newer.videos
    expect((await me.run({ url: video?.url ?? '', mode: 'native' })).body.resultJson).to.deep.include({
      source: 'captions',
      availableLanguages: ['en', 'de'],
    })
  })

  it('counts one light request for each 30 videos that may come, and costs no credits', async () => {
    const before = remaining(await me.get('/v1/me'))
    const [one, four] = [
      await me.get('/v1/youtube/channel?handle=longshelf&limit=30'),
      await me.get('/v1/youtube/channel?handle=longshelf&limit=100'),
    ]
    expect([remaining(one), remaining(four)]).to.deep.equal([before - 1, before - 5])
    expect(await me.credits()).to.equal(50)
  })

  it('searches of one platform have pages, those of all have none', async () => {
    for (const platform of ['youtube', 'tiktok']) {
      const first = await me.get(`/v1/search?q=audiobook&platform=${platform}&limit=4`)
      const second = await me.get(`/v1/search${nextOf(first)}`)
      const urls = [first, second].flatMap((answer) => bodyOf<SearchResult[]>(answer).map(({ url }) => url))
      expect([urls.length, new Set(urls).size], platform).to.deep.equal([8, 8])
    }
    expect(nextOf(await me.get('/v1/search?q=audiobook'))).to.equal(undefined)
  })

  it('a TikTok profile leads to all of its videos, once, and an Instagram one to what guests see', async () => {
    const pages = await pagesFrom<TikTokProfile>('/v1/tiktok/profile', '?username=pageturners&limit=6')
    const urls = pages.flatMap(({ videos }) => videos.map(({ url }) => url))
    const own = tiktokVideos.filter(({ creator, trouble }) => creator.handle === 'pageturners' && !trouble)
    expect(urls).to.deep.equal(own.toSorted((a, b) => b.published.localeCompare(a.published)).map(({ url }) => url))
    expect(new Set(pages.map(({ stats }) => stats.videos)).size).to.equal(1)
    const posts = await pagesFrom<TikTokProfile>('/v1/instagram/profile', '?username=garden.almanac&limit=7')
    expect(posts.map(({ videos }) => videos.length)).to.deep.equal([7, 5])
  })

  it('refuses a cursor that was made up, or is from another list, and reads no platform', async () => {
    const { nextCursor } = await me.read<YouTubeChannel>('/v1/youtube/channel?handle=longshelf&limit=5')
    const forged = Buffer.from(JSON.stringify(['x', 0, 'http://127.0.0.1/'])).toString('base64url')
    const asked = setting.sandbox.traffic.count().requests
    const refused = [
      ...['x', forged, `${nextCursor?.slice(0, -2)}AA`, '%00'].map((cursor) => `handle=longshelf&cursor=${cursor}`),
      `handle=novelhour&cursor=${nextCursor}`,
      `handle=longshelf&type=lives&cursor=${nextCursor}`,
    ].map((query) => `/v1/youtube/channel?${query}`)
    const elsewhere = ['/v1/search?q=a', '/v1/search?q=a&platform=youtube', '/v1/tiktok/profile?username=pageturners']
    for (const path of [...refused, ...elsewhere.map((other) => `${other}&cursor=${nextCursor}`)])
      expect(refusedField(await me.get(path)), path).to.deep.equal([400, 'cursor'])
    expect(setting.sandbox.traffic.count().requests).to.equal(asked)
  })

  it('refuses what names no list by the field that names it, and answers 404 for a list that does not exist', async () => {
    const bad = {
      url: ['', 'url=https://www.youtube.com/watch?v=nvlHourCh01', 'url=http://127.0.0.1/@longshelf', 'url=x'],
      handle: ['handle=a', 'handle=..%2F..%2Fetc'],
      id: ['id=UCshort', 'id=VLx', `id=${longShelf.id}&handle=longshelf`],
      type: ['handle=longshelf&type=posts'],
      limit: ['handle=longshelf&limit=0', 'handle=longshelf&limit=101'],
    }
    for (const [field, queries] of Object.entries(bad))
      for (const query of queries)
        expect(refusedField(await me.get(`/v1/youtube/channel?${query}`)), query).to.deep.equal([400, field])
    for (const path of [
      'channel?handle=nobody.at.all',
      'playlist?id=PLnobodyHasMadeThis',
      'channel?url=https://www.youtube.com/c/nobody',
    ])
      expect((await me.get(`/v1/youtube/${path}`)).status, path).to.equal(404)
    expect((await me.get('/v1/youtube/playlist?id=RDnvlHourCh01')).status).to.equal(400)
  })

  it('reports what each platform supports, and how well it has worked', async () => {
    await me.run({ url: 'https://www.youtube.com/watch?v=nvlHourCh01', mode: 'native' })
    await until('the job counts', async () => {
      const platforms = await me.read<Platform[]>('/v1/platforms')
      const youtube = platforms.find(({ platform }) => platform === 'youtube')
      return youtube?.lastHour.state === 'ok' && youtube.lists && youtube.captions && youtube.search
    })
    const platforms = await me.read<Platform[]>('/v1/platforms')
    expect(platforms.map(({ platform }) => platform)).to.deep.equal([
      'youtube',
      'tiktok',
      'instagram',
      'x',
      'facebook',
      'direct',
    ])
    expect(platforms.find(({ platform }) => platform === 'instagram')).to.include({ captions: false, profile: true })
  })
})
