import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { describeRecorded, recordedJson, recording } from '#test/doubles/recordings.ts'
import { scriptedBrowser } from '#test/doubles/scripted-browser.ts'
import type { ScriptedAnswer } from '#test/doubles/scripted-route.ts'
import { Shape, ShapeError } from '../reading/shape.ts'
import { type DriftReport, jsonScripts } from '../reading/site.ts'
import { parseProfile } from './parse-profile.ts'
import { createTikTokProfiles } from './profile.ts'

const user = {
  secUid: 'MS4w',
  uniqueId: 'ann',
  nickname: 'Ann',
  avatarLarger: 'https://p16.tiktokcdn.com/a.jpeg',
  verified: true,
  privateAccount: false,
}
const stats = { followerCount: 1200, followingCount: 3, heartCount: 9000, videoCount: 3 }
const info = (more: object = {}) => ({ user, stats, ...more })
const video = (id: string, more: object = {}) => ({ id, desc: 'Tea #tea #Cup', playCount: 70, coverUrl: 'c', ...more })

const page = (id: string, state: unknown) =>
  `<html><body><script id="${id}" type="application/json">${JSON.stringify(state)}</script></body></html>`
const profilePage = (detail: object) =>
  page('__UNIVERSAL_DATA_FOR_REHYDRATION__', { __DEFAULT_SCOPE__: { 'webapp.user-detail': detail } })
const embedPage = (route: object) => page('__FRONTITY_CONNECT_STATE__', { source: { data: { '/embed/@ann': route } } })

const older = video('7093219663211053829')
const newer = video('7571863205253778710')

function setting(answers: { profile: ScriptedAnswer; embed?: ScriptedAnswer }) {
  const { browse, asked } = scriptedBrowser(({ pathname }) =>
    pathname.startsWith('/embed/') ? answers.embed : answers.profile,
  )
  const reports: DriftReport[] = []
  const read = createTikTokProfiles({ browse, report: (report) => reports.push(report) })
  const ask = async (signal = new AbortController().signal) =>
    (await read.first('ann', { owner: 'request', refusals: 0, signal })).profile
  return { asked, reports, ask }
}

const open = {
  profile: { body: profilePage({ userInfo: info(), statusCode: 0 }) },
  embed: { body: embedPage({ videoList: [older, newer] }) },
}

describe('a TikTok profile', () => {
  it('has exactly the fields of the specification, its videos newest first', async () => {
    const { ask, reports } = setting(open)
    const { videos, ...header } = await ask()
    expect(header).to.deep.equal({
      platform: 'tiktok',
      type: 'profile',
      username: 'ann',
      url: 'https://www.tiktok.com/@ann',
      author: { username: 'ann', displayName: 'Ann', avatarUrl: user.avatarLarger, verified: true },
      stats: { followers: 1200, following: 3, likes: 9000, videos: 3 },
    })
    expect(videos.map(({ id }) => id)).to.deep.equal([newer.id, older.id])
    expect(videos[0]).to.deep.equal({
      platform: 'tiktok',
      type: 'video',
      id: newer.id,
      url: `https://www.tiktok.com/@ann/video/${newer.id}`,
      title: 'Tea #tea #Cup',
      description: 'Tea #tea #Cup',
      stats: { views: 70, likes: null, comments: null, shares: null },
      media: { type: 'video', thumbnailUrl: 'c', duration: null },
      tags: ['tea', 'Cup'],
      createdAt: '2025-11-12T15:36:23.000Z',
      authorId: null,
      authorUrl: 'https://www.tiktok.com/@ann',
      isLive: null,
      additionalData: {},
    })
    expect(reports).to.deep.equal([])
  })

  it('prefers exact numbers to rounded ones', async () => {
    const statsV2 = { followerCount: '1234', followingCount: '3', heartCount: '9012', videoCount: '3' }
    const { ask } = setting({ ...open, profile: { body: profilePage({ userInfo: info({ statsV2 }) }) } })
    expect((await ask()).stats).to.deep.equal({ followers: 1234, following: 3, likes: 9012, videos: 3 })
  })

  for (const [what, detail] of Object.entries({
    'a private account': { userInfo: info({ user: { ...user, privateAccount: true } }), statusCode: 10222 },
    'an account that may not be embedded': { userInfo: info({ user: { ...user, isEmbedBanned: true } }) },
    'an account without videos': { userInfo: info({ stats: { ...stats, videoCount: 0 } }) },
  })) {
    it(`is a header without videos for ${what}, and requests none`, async () => {
      const { ask, asked } = setting({ profile: { body: profilePage(detail) } })
      expect((await ask()).videos).to.deep.equal([])
      expect(asked).to.have.length(1)
    })
  }

  it('does not exist if TikTok says so', async () => {
    for (const profile of [{ body: profilePage({ userInfo: {}, statusCode: 10221 }) }, { status: 404 }]) {
      expect((await failureOf(setting({ profile }).ask())).code).to.equal('profile_not_found')
    }
  })

  it('is blocked by an empty page, a challenge, a login, 403 and 429', async () => {
    const refusals = [
      { body: '' },
      { body: '<html><body><script>var _wafchallengeid</script></body></html>' },
      { body: '<html></html>', url: 'https://www.tiktok.com/login?redirect=x' },
      { status: 403 },
      { status: 429 },
    ]
    for (const profile of refusals) {
      const failure = await failureOf(setting({ profile }).ask())
      expect([failure.code, failure.transient]).to.deep.equal(['platform_blocked', true])
    }
    const embed = { body: '' }
    expect((await failureOf(setting({ ...open, embed }).ask())).code).to.equal('platform_blocked')
  })

  it('names the missing field if a page cannot be read', async () => {
    const { nickname, ...nameless } = { ...user, uniqueId: undefined }
    const { ask, reports } = setting({ profile: { body: profilePage({ userInfo: { user: nameless, stats } }) } })
    const failure = await failureOf(ask())
    expect([failure.code, failure.transient]).to.deep.equal(['upstream_error', false])
    expect(failure.cause).to.be.instanceOf(ShapeError)
    expect(reports.flatMap(({ drift }) => drift.map((each) => each.field))).to.deep.equal([
      'profile.__DEFAULT_SCOPE__.webapp.user-detail.userInfo.user.uniqueId',
    ])
  })

  it('is read from the embed page if a script fills its own page, without the number of videos', async () => {
    const userInfo = {
      ...user,
      avatarThumbUrl: 'https://p16.tiktokcdn.com/t.jpeg',
      followerCount: 1200,
      followingCount: 3,
      heartCount: 9000,
    }
    const embed = {
      body: embedPage({ userInfo, videoList: [older, newer, video('7571863205253778711', { privateItem: true })] }),
    }
    for (const body of [profilePage({}).replace('webapp.user-detail', 'webapp.app-context'), '<html>a shell</html>']) {
      const { ask, reports } = setting({ profile: { body }, embed })
      const { videos, author, stats: numbers } = await ask()
      expect(author).to.deep.equal({
        username: 'ann',
        displayName: 'Ann',
        avatarUrl: userInfo.avatarThumbUrl,
        verified: true,
      })
      expect(numbers).to.deep.equal({ followers: 1200, following: 3, likes: 9000, videos: null })
      // without the one that the creator made private
      expect(videos.map(({ id }) => id)).to.deep.equal([newer.id, older.id])
      expect(reports).to.deep.equal([])
    }
  })

  it('has no videos if a script fills its page and its account is private, even if they are listed', async () => {
    for (const hidden of [{ privateAccount: true }, { secret: true }]) {
      const embed = { body: embedPage({ userInfo: { ...user, ...hidden }, videoList: [older, newer] }) }
      const { username, videos } = await setting({ profile: { body: '<html></html>' }, embed }).ask()
      expect([username, videos]).to.deep.equal(['ann', []])
    }
  })

  it('is blocked if a script fills its page and it cannot be embedded: nothing says whether it exists', async () => {
    const embed = { body: embedPage({ isError: true, userInfo: { code: 404 }, videoList: [] }) }
    expect((await failureOf(setting({ profile: { body: '<html></html>' }, embed }).ask())).code).to.equal(
      'platform_blocked',
    )
  })

  it('reports other missing fields and returns null for them', async () => {
    const { followerCount, ...rest } = stats
    const { ask, reports } = setting({
      profile: { body: profilePage({ userInfo: info({ stats: rest }) }) },
      embed: { body: embedPage({ videoList: [video('7093219663211053829', { playCount: undefined })] }) },
    })
    const profile = await ask()
    expect([profile.stats.followers, profile.videos[0]?.stats.views]).to.deep.equal([null, null])
    expect(reports.flatMap(({ drift }) => drift.map(({ field }) => field))).to.deep.equal([
      'profile.__DEFAULT_SCOPE__.webapp.user-detail.userInfo.stats.followerCount',
      'embed.source.data./embed/@ann.videoList[].playCount',
    ])
  })

  it('ends with the reason of its signal', async () => {
    const reason = new Error('gone')
    expect(await failureOf(setting(open).ask(AbortSignal.abort(reason)))).to.equal(reason)
  })
})

describeRecorded('a TikTok profile', () => {
  it('is read from its page with nothing missing', () => {
    const [state] = jsonScripts(recording('tiktok/profile-page.illojuan.trimmed.html'), '__UNIVERSAL_DATA')
    const shape = Shape.of('profile', state)
    const owner = parseProfile(shape)
    expect(owner?.profile.author.displayName).to.equal('IlloJuan')
    expect(owner?.profile.stats).to.deep.equal({ followers: 783427, following: 0, likes: 3922256, videos: 19 })
    expect(owner?.hidesVideos).to.equal(false)
    expect(shape.drift()).to.deep.equal([])
  })

  it('is read from an answer without exact numbers', () => {
    const userInfo = recordedJson('tiktok/user-detail.stoolpresidente.json')
    const shape = Shape.of('profile', { __DEFAULT_SCOPE__: { 'webapp.user-detail': { userInfo } } })
    expect(parseProfile(shape)?.profile.stats).to.deep.equal({
      followers: 4100000,
      following: 74,
      likes: 190400000,
      videos: 2017,
    })
    expect(shape.drift()).to.deep.equal([])
  })
})
