import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { scriptedBrowser } from '#test/doubles/scripted-browser.ts'
import type { ScriptedAnswer } from '#test/doubles/scripted-route.ts'
import { Shape } from '../reading/shape.ts'
import type { DriftReport } from '../reading/site.ts'
import { parseVideoUrl } from '../urls/parse-video-url.ts'
import { parseProfile } from './parse-profile.ts'
import { createInstagramProfiles } from './profile.ts'

const count = (n: number) => ({ count: n })
const post = (typename: string, code: string, more: object = {}) => ({
  node: {
    __typename: typename,
    id: `3${code}`,
    shortcode: code,
    display_url: `https://scontent.cdninstagram.com/${code}.jpg`,
    is_video: typename === 'GraphVideo',
    edge_media_to_caption: { edges: [{ node: { text: 'Tea time #tea #süß' } }] },
    edge_media_to_comment: count(2),
    edge_liked_by: count(5),
    taken_at_timestamp: 1736294201,
    owner: { id: '17', username: 'ann' },
    ...more,
  },
})
const clip = post('GraphVideo', 'DEiyb48AeB9', {
  video_url: 'https://scontent.cdninstagram.com/v/clip.mp4?oe=1',
  video_view_count: 99,
  product_type: 'clips',
})
const image = post('GraphImage', 'DEiyb48AeB8', { taken_at_timestamp: 1736294202 })
const carousel = post('GraphSidecar', 'DEiyb48AeB7', {
  taken_at_timestamp: 1736294200,
  edge_sidecar_to_children: { edges: [{ node: { is_video: true } }] },
})
const user = (more: object = {}) => ({
  username: 'ann',
  biography: 'Tea',
  full_name: 'Ann',
  profile_pic_url_hd: 'https://scontent.cdninstagram.com/a.jpg',
  is_verified: false,
  is_private: false,
  edge_followed_by: count(10),
  edge_follow: count(4),
  edge_owner_to_timeline_media: { count: 71, edges: [clip, image, carousel] },
  ...more,
})

const guest = {
  username: 'ann',
  biography: 'Tea',
  full_name: 'Ann',
  profile_pic_url: 'https://scontent.cdninstagram.com/a.jpg',
  is_verified: true,
  is_private: false,
  follower_count: 10,
  following_count: 4,
  all_media_count: null,
}
const page = (...users: unknown[]) =>
  users
    .map((one) => ({ require: [{ __bbox: { result: { data: { xig_user_by_username: one } } } }] }))
    .map((data) => `<script type="application/json" data-sjs>${JSON.stringify(data)}</script>`)
    .join('<p>')

/** A page without its data, as Instagram sends it to addresses that it distrusts. */
const empty = { body: '<html><body>Instagram</body></html>' }
const wait = { status: 401, body: { message: 'Please wait a few minutes before you try again.', require_login: true } }
const login = { body: '<html></html>', url: 'https://www.instagram.com/accounts/login/?next=x' }

const pagePost = (pk: string, more: object = {}) => ({
  node: {
    pk,
    code: 'DEiyb48AeB9',
    media_type: 2,
    product_type: 'clips',
    caption: { text: 'Tea time #tea' },
    display_uri: 'https://scontent.cdninstagram.com/a.jpg',
    video_versions: [{ url: 'https://scontent.cdninstagram.com/v/clip.mp4?oe=1' }],
    ...more,
  },
})
const timeline = (...edges: object[]) => ({ polaris_ordered_timeline_connection: { edges } })
const shown = (more: object) => ({ body: page({ id: '1' }, { ...guest, ...more }) })

function setting({ api, page = empty }: { api: ScriptedAnswer; page?: ScriptedAnswer }) {
  const { browse, asked } = scriptedBrowser(({ pathname }) => (pathname.startsWith('/api/') ? api : page))
  const reports: DriftReport[] = []
  const read = createInstagramProfiles({ browse, report: (report) => reports.push(report) })
  const ask = async () =>
    (await read.first('ann', { owner: 'request', refusals: 0, signal: new AbortController().signal })).profile
  return { asked, reports, ask }
}

const served = { body: { data: { user: user() } } }

describe('an Instagram profile', () => {
  it("is requested as a page, and if that is empty, with the headers of Instagram's own page", async () => {
    const { ask, asked } = setting({ api: served })
    await ask()
    expect(asked.map(({ url, headers }) => [url, headers?.['x-ig-app-id']])).to.deep.equal([
      ['https://www.instagram.com/ann/', undefined],
      ['https://www.instagram.com/api/v1/users/web_profile_info/?username=ann', '936619743392459'],
    ])
  })

  it('has exactly the fields of the specification', async () => {
    const { ask, reports } = setting({ api: served })
    const { videos, ...header } = await ask()
    expect(header).to.deep.equal({
      platform: 'instagram',
      type: 'profile',
      username: 'ann',
      url: 'https://www.instagram.com/ann/',
      description: 'Tea',
      author: {
        username: 'ann',
        displayName: 'Ann',
        avatarUrl: 'https://scontent.cdninstagram.com/a.jpg',
        verified: false,
      },
      stats: { followers: 10, following: 4, posts: 71 },
    })
    expect(videos.map(({ type, media }) => [type, media.type, media.videoUrl])).to.deep.equal([
      ['post', 'image', undefined],
      ['video', 'video', clip.node.display_url.replace('DEiyb48AeB9.jpg', 'v/clip.mp4?oe=1')],
      ['sidecar', 'video', undefined],
    ])
    expect(reports).to.deep.equal([])
  })

  it('gives a video with its file, its code and its hashtags', async () => {
    const { videos } = await setting({ api: served }).ask()
    expect(videos[1]).to.deep.equal({
      platform: 'instagram',
      type: 'video',
      id: '3DEiyb48AeB9',
      url: 'https://www.instagram.com/reel/DEiyb48AeB9/',
      title: 'Tea time #tea #süß',
      description: 'Tea time #tea #süß',
      stats: { views: 99, likes: 5, comments: 2, shares: null },
      media: {
        type: 'video',
        thumbnailUrl: 'https://scontent.cdninstagram.com/DEiyb48AeB9.jpg',
        duration: null,
        videoUrl: 'https://scontent.cdninstagram.com/v/clip.mp4?oe=1',
      },
      tags: ['tea', 'süß'],
      createdAt: '2025-01-07T23:56:41.000Z',
      authorId: '17',
      authorUrl: 'https://www.instagram.com/ann/',
      isLive: null,
      additionalData: { shortcode: 'DEiyb48AeB9' },
    })
    for (const { url } of videos) expect(parseVideoUrl(url)).to.include({ accepted: true, canonical: url })
  })

  it('gives null, never zero, for hidden counts and counts that images do not have', async () => {
    const hidden = post('GraphVideo', 'DEiyb48AeB9', { ...clip.node, like_and_view_counts_disabled: true })
    const api = {
      body: { data: { user: user({ edge_owner_to_timeline_media: { count: 2, edges: [hidden, image] } }) } },
    }
    const { videos } = await setting({ api }).ask()
    expect(videos.map(({ stats }) => [stats.views, stats.likes])).to.deep.equal([
      [null, 5],
      [null, null],
    ])
  })

  it('is read from its page alone, newest post first, if the page is complete', async () => {
    const picture = pagePost('3540645900919030402', { media_type: 1, product_type: 'feed', video_versions: undefined })
    const page = shown(timeline(picture, pagePost('3640645900919030401', { like_count: 5 })))
    const { ask, asked, reports } = setting({ api: { status: 500 }, page })
    const { videos, ...header } = await ask()
    expect(header).to.deep.include({ username: 'ann', stats: { followers: 10, following: 4, posts: null } })
    expect(videos.map(({ type }) => type)).to.deep.equal(['video', 'post'])
    expect(videos[0]).to.deep.equal({
      platform: 'instagram',
      type: 'video',
      id: '3640645900919030401',
      url: 'https://www.instagram.com/reel/DEiyb48AeB9/',
      title: 'Tea time #tea',
      description: 'Tea time #tea',
      stats: { views: null, likes: 5, comments: null, shares: null },
      media: {
        type: 'video',
        thumbnailUrl: 'https://scontent.cdninstagram.com/a.jpg',
        duration: null,
        videoUrl: 'https://scontent.cdninstagram.com/v/clip.mp4?oe=1',
      },
      tags: ['tea'],
      // from the id
      createdAt: '2025-05-26T00:20:33.000Z',
      authorId: null,
      authorUrl: null,
      isLive: null,
      additionalData: { shortcode: 'DEiyb48AeB9' },
    })
    expect([asked.length, reports]).to.deep.equal([1, []])
  })

  for (const [what, page, posts] of [
    ['has no posts', shown({}), 0],
    ['lacks the file of a video', shown(timeline(pagePost('1', { video_versions: undefined }))), 1],
  ] as const)
    it(`is completed by the API if the page ${what}; keeps what the page shows if the API refuses`, async () => {
      const whole = setting({ api: served, page })
      expect((await whole.ask()).videos).to.have.length(3)
      for (const api of [wait, { status: 400 }, { status: 404 }, { status: 429 }, { body: 'no JSON' }]) {
        const { ask, asked } = setting({ api, page })
        expect((await ask()).videos).to.have.length(posts)
        expect(asked).to.have.length(2)
      }
    })

  it('leaves out posts of a private account and posts for close friends, even if the account follows it', async () => {
    const friends = pagePost('1', { audience: 'besties' })
    const pages = [
      shown({ is_private: true, ...timeline(pagePost('1')) }),
      shown({ is_private: true }),
      shown(timeline(friends)),
    ]
    for (const page of pages) {
      const { ask, asked } = setting({ api: served, page })
      expect((await ask()).videos).to.deep.equal([])
      expect(asked).to.have.length(1)
    }
    const api = { body: { data: { user: user({ is_private: true }) } } }
    expect((await setting({ api }).ask()).videos).to.deep.equal([])
  })

  it('does not exist if Instagram says so', async () => {
    for (const answers of [
      { api: served, page: { status: 404 } },
      { api: served, page: { body: page(null) } },
      { api: { status: 404 } },
      { api: { body: { data: { user: null }, status: 'ok' } } },
    ]) {
      expect(await failureOf(setting(answers).ask())).to.include({ code: 'profile_not_found' })
    }
  })

  it('is blocked temporarily if both refuse: by a request to wait, a login, an empty answer', async () => {
    for (const [api, page] of [
      [wait, empty],
      [login, login],
      [{ body: '' }, { body: '' }],
      [{ status: 400 }, { status: 429 }],
    ]) {
      const failure = await failureOf(setting({ api: api ?? {}, page: page ?? {} }).ask())
      expect(failure).to.include({ code: 'platform_blocked', transient: true })
    }
  })

  it('reads a post with an invalid time or of an unknown kind', async () => {
    const odd = post('constructor', 'DEiyb48AeB6', { taken_at_timestamp: Number.MAX_SAFE_INTEGER })
    const edges = { count: 1, edges: [odd] }
    const { ask } = setting({ api: { body: { data: { user: user({ edge_owner_to_timeline_media: edges }) } } } })
    expect((await ask()).videos[0]).to.include({ type: 'post', createdAt: null })
  })

  it('reports each missing field, and reads the rest', async () => {
    const { biography, ...rest } = user()
    const { ask, reports } = setting({ api: { body: { data: { user: rest } } } })
    expect((await ask()).description).to.equal('')
    expect(reports).to.deep.equal([
      {
        platform: 'instagram',
        operation: 'profile',
        drift: [{ field: 'profile.data.user.biography', expected: 'string', found: 'nothing' }],
      },
    ])
  })

  it('fails as a changed answer when a required field is missing', async () => {
    for (const answers of [
      { api: { body: 'no JSON' }, page: { body: page({ name: 'Ann' }) } },
      { api: { body: { data: { user: user({ username: undefined }) } } }, page: { body: page({ name: 'Ann' }) } },
    ]) {
      const { ask, reports } = setting(answers)
      expect(await failureOf(ask())).to.include({ code: 'upstream_error' })
      expect(reports).to.have.length(2)
    }
  })
})

describeRecorded('an Instagram profile', () => {
  it('is read with nothing missing', () => {
    const shape = Shape.of('profile', recordedJson('instagram/web_profile_info.adrianhorning.json'))
    const profile = parseProfile(shape)
    expect(profile).to.deep.include({
      username: 'adrianhorning',
      description: 'Scraping the web',
      stats: { followers: 25116, following: 101, posts: 71 },
    })
    expect(profile?.videos.map(({ type, stats, additionalData }) => [type, stats.views, additionalData])).to.deep.equal(
      [['video', 1318, { shortcode: 'DEiyb48AeB9' }]],
    )
    expect(profile?.videos[0]?.media.videoUrl).to.match(/^https:\/\/scontent.*\.mp4/)
    expect(shape.drift()).to.deep.equal([])
  })
})
