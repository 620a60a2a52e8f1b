import { expect } from 'chai'
import { parsePage } from '#packages/platforms/instagram/parse-page.ts'
import { parseProfile } from '#packages/platforms/instagram/parse-profile.ts'
import { TIMELINE, USER } from '#packages/platforms/instagram/profile.ts'
import { Shape } from '#packages/platforms/reading/shape.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import { parseEmbed } from '#packages/platforms/tiktok/parse-embed.ts'
import { parseProfile as parseTikTokProfile } from '#packages/platforms/tiktok/parse-profile.ts'
import { instagramCreators } from '#services/sandbox/instagram/catalogue.ts'
import { pageTimeline, pageUser, profileInfo } from '#services/sandbox/instagram/profile.ts'
import { tiktokCreators } from '#services/sandbox/tiktok/catalogue.ts'
import { embedPage, profilePage } from '#services/sandbox/tiktok/page.ts'
import { youtubeListFields, youtubeSearchFields } from '#services/sandbox/youtube/fields.fixture.ts'
import { longShelf } from '#services/sandbox/youtube/shelf.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { changedIn } from './cells.ts'
import { type DriftHarness, startDriftHarness } from './drift.harness.ts'

/** Every path of an answer that a parser reads, as Shape writes it. `__` stands for a key that contains dots. */
function pathsRead(answer: object, parse: (answer: Shape) => unknown): string[] {
  const paths = new Set<string>()
  const traced = (value: unknown, path: readonly string[]): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : new Proxy(value, {
          has: (target, key) => note(path, key, Reflect.has(target, key)),
          get: (target, key) => {
            const inner = Reflect.get(target, key)
            return typeof key === 'symbol' || typeof inner === 'function'
              ? inner
              : traced(inner, [...path, Array.isArray(target) ? '[]' : key.replaceAll('.', '__')])
          },
        })
  const note = (path: readonly string[], key: string | symbol, isThere: boolean): boolean => {
    if (isThere && !/^\d+$/.test(String(key))) paths.add([...path, String(key).replaceAll('.', '__')].join('.'))
    return isThere
  }
  parse(Shape.of('answer', traced(answer, [])))
  return [...paths]
}

const creatorNamed = <T extends { handle: string }>(creators: readonly T[], handle: string): T =>
  creators.find((creator) => creator.handle === handle) ?? expect.fail(`nobody is called ${handle}`)

type Reader = {
  platform: ProfilePlatform
  creator: string
  /** The parser's name for the answer. */
  name: string
  host: string
  path: string
  answer: object
  parse: (answer: Shape) => unknown
  /** Fields that are read if present, and not reported if missing. */
  optional: string[]
}

const pages = creatorNamed(tiktokCreators, 'pageturners')
const almanac = creatorNamed(instagramCreators, 'garden.almanac')
const shop = creatorNamed(instagramCreators, 'corner_shop')
const NODE = 'data.user.edge_owner_to_timeline_media.edges.[].node'

const readers: Record<string, Reader> = {
  "a TikTok creator's page": {
    platform: 'tiktok',
    creator: pages.handle,
    name: 'profile',
    host: 'www.tiktok.com',
    path: '/@',
    answer: profilePage(pages).data,
    parse: parseTikTokProfile,
    // without the creator, a script fills the page: everything is read from the page for embedding
    optional: ['', '.statusCode', '.userInfo.statsV2', '.userInfo.user.isEmbedBanned']
      .map((field) => `__DEFAULT_SCOPE__.webapp__user-detail${field}`)
      .concat('__DEFAULT_SCOPE__'),
  },
  "a TikTok creator's videos": {
    platform: 'tiktok',
    creator: pages.handle,
    name: 'embed',
    host: 'www.tiktok.com',
    path: '/embed/@',
    answer: embedPage(pages, pages.handle).data,
    parse: (answer) => parseEmbed(answer, pages.handle),
    optional: ['userInfo', 'userInfo.id', 'videoList.[].privateItem'].map(
      (field) => `source.data./embed/@${pages.handle}.${field}`,
    ),
  },
  "an Instagram creator's posts": {
    platform: 'instagram',
    creator: shop.handle,
    name: 'profile',
    host: 'www.instagram.com',
    path: '/api/v1/users/web_profile_info/',
    answer: profileInfo(shop),
    parse: parseProfile,
    optional: ['product_type', 'like_and_view_counts_disabled', 'edge_sidecar_to_children'].flatMap((field) => [
      `${NODE}.${field}`,
      `${NODE}.${field}.edges`,
    ]),
  },
  "an Instagram creator's page": {
    platform: 'instagram',
    creator: almanac.handle,
    name: 'page',
    host: 'www.instagram.com',
    path: `/${almanac.handle}/`,
    answer: { user: pageUser(almanac), timeline: pageTimeline(almanac) },
    parse: (answer) =>
      parsePage({ user: answer.required('object', 'user'), timeline: answer.required('object', 'timeline') }),
    optional: [
      'user.all_media_count',
      // without it, the page may be the one for addresses that Instagram distrusts: the API is read instead
      'user',
      'timeline',
      ...['product_type', 'video_versions', 'carousel_media', 'user'].map((field) => `timeline.edges.[].node.${field}`),
    ],
  },
}

describe('the check for drift, of profiles and searches', function () {
  this.timeout(120_000)
  const watch = openedForAll(startDriftHarness)
  const brave = openedForAll(() => startDriftHarness({ BRAVE_API_KEY: 'BSA-sandbox' }))

  for (const [what, { platform, creator, name, host, path, answer, parse, optional }] of Object.entries(readers)) {
    const check = async () =>
      (await watch.check({ examples: { [platform]: { urls: [], creator } } })).flatMap(changedIn)
    const inAnswer = (field: string) =>
      name === 'page' ? field.replace(/^timeline/, `user.${TIMELINE}`).replace(/^user/, USER) : field

    it(`finds nothing changed in ${what}`, async () => {
      expect(await check()).to.deep.equal([])
    })

    for (const field of pathsRead(answer, parse)) {
      const isOptional = optional.includes(field)
      it(`${isOptional ? 'does not miss' : 'names'} ${field.replaceAll('__', '.')} of ${what}`, async () => {
        const wildcards = field.split('.').map((key) => (key === '[]' || key.includes('__') ? '*' : key))
        const gone = field.startsWith('__DEFAULT') ? ['__DEFAULT_SCOPE__', ...wildcards.slice(1)] : wildcards
        using _gone = watch.without([{ host, path, how: { kind: 'without', field: inAnswer(gone.join('.')) } }])
        const named = `${name}.${field.replaceAll('.[]', '[]')}`.replace('webapp__', 'webapp.')
        expect(await check()).to.deep.equal(isOptional ? [] : [named])
      })
    }
  }

  const search = async (watching: DriftHarness, platform: string) =>
    (await watching.check({ query: 'audiobook', examples: { [platform]: { urls: [] } } })).flatMap(changedIn)

  for (const platform of ['youtube', 'tiktok'])
    it(`finds nothing changed in a search of ${platform}`, async () => {
      expect(await search(watch, platform)).to.deep.equal([])
      expect(await search(brave, platform)).to.deep.equal([])
    })

  for (const [field, disturbances] of Object.entries(youtubeSearchFields))
    it(`names ${field} of YouTube’s results`, async () => {
      using _gone = watch.without(disturbances)
      expect(await search(watch, 'youtube')).to.deep.equal([`search.videos[].${field}`])
    })

  const shelves = { channel: longShelf.handle, playlist: 'PLlongShelfSandboxAllOfTheBooks001' }
  const lists = async () =>
    (await watch.check({ examples: { youtube: { urls: [], lists: shelves } } })).flatMap(({ attempts }) =>
      attempts.flatMap((attempt) => (attempt.kind === 'changed' ? attempt.fields : [])),
    )

  it('finds nothing changed in YouTube’s lists', async () => {
    expect(await lists()).to.deep.equal([])
  })

  /** Removes a field from YouTube's answers at a path. */
  const withoutOf = (field: string, path: string): Disposable =>
    watch.without([{ host: 'www.youtube.com', path, how: { kind: 'without', field } }])

  for (const [gone, named] of Object.entries(youtubeListFields))
    it(`names ${gone} of YouTube’s lists`, async () => {
      using _gone = withoutOf(gone, '/youtubei/v1/')
      expect(new Set(await lists())).to.deep.equal(new Set(named))
    })

  const player = 'microformat.playerMicroformatRenderer'
  for (const field of [player, `${player}.publishDate`])
    it(`names ${field} of YouTube’s player`, async () => {
      using _gone = withoutOf(field, '/youtubei/v1/player')
      expect(await search(watch, 'youtube')).to.deep.equal([`player.${field}`])
    })

  it('names the page that contains YouTube’s results', async () => {
    const field = 'contents.twoColumnSearchResultsRenderer.primaryContents'
    using _gone = withoutOf(field, '/youtubei/v1/search')
    expect(await search(watch, 'youtube')).to.deep.equal([`search.answer.${field}`])
  })

  for (const field of ['results', 'results.*.url', 'results.*.title']) {
    const named = field.replace('.*', '[]')
    it(`names ${named} of SearXNG and of Brave`, async () => {
      using _gone = watch.without([{ host: '127.0.0.1', how: { kind: 'without', field } }])
      expect(await search(watch, 'tiktok')).to.deep.equal([`searxng.${named}`])
      using _alsoGone = brave.without([{ host: 'api.search.brave.com', how: { kind: 'without', field } }])
      expect(await search(brave, 'tiktok')).to.deep.equal([`brave.${named}`])
    })
  }
})
