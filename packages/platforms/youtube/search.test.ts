import { expect } from 'chai'
import type { SearchResult } from '#contracts/generated/http.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { scriptedBrowser } from '#test/doubles/scripted-browser.ts'
import type { ScriptedAnswer } from '#test/doubles/scripted-route.ts'
import { untoldResult } from '#test/doubles/untold.ts'
import { Shape } from '../reading/shape.ts'
import type { DriftReport } from '../reading/site.ts'
import { findVideos } from './innertube.ts'
import { parsePlayer, parseSearch } from './parse-search.ts'
import { createYouTubeSearch } from './youtube.ts'

const text = (simpleText: string) => ({ simpleText })
const renderer = (videoId: string, more: object = {}) => ({
  videoRenderer: {
    videoId,
    title: { runs: [{ text: 'Cats' }] },
    ownerText: {
      runs: [{ text: 'Ann', navigationEndpoint: { browseEndpoint: { browseId: 'UC3NHftLP8hcgAnnsChannel' } } }],
    },
    viewCountText: text('15,260 views'),
    lengthText: text('1:01:20'),
    thumbnail: { thumbnails: [{ url: 'https://i.ytimg.com/vi/a/hq720.jpg', width: 360, height: 202 }] },
    ...more,
  },
})
const found = (items: object[], more: object = {}) => ({
  contents: {
    twoColumnSearchResultsRenderer: {
      primaryContents: { sectionListRenderer: { contents: [{ itemSectionRenderer: { contents: items } }] } },
    },
  },
  ...more,
})
const player = {
  microformat: {
    playerMicroformatRenderer: {
      publishDate: '2017-05-16T07:50:53-07:00',
      likeCount: '618',
      description: text('All of it.'),
    },
  },
  videoDetails: { keywords: ['cats', 'tea'] },
}

function setting(answers: { search: ScriptedAnswer; player?: ScriptedAnswer }) {
  const { browse, asked } = scriptedBrowser(({ pathname }) =>
    pathname.endsWith('/search') ? answers.search : answers.player,
  )
  const reports: DriftReport[] = []
  const source = createYouTubeSearch({ browse, report: (report) => reports.push(report) })
  const reading = { owner: 'request', refusals: 0, signal: new AbortController().signal }
  return {
    asked,
    reports,
    source,
    reading,
    find: async () => (await source.find({ q: 'cats', token: null }, reading)).items,
  }
}

const result: SearchResult = {
  platform: 'youtube',
  url: 'https://www.youtube.com/watch?v=3NHftLP8hcg',
  title: 'Cats',
  author: 'Ann',
  stats: { views: 15260, likes: null, comments: null, shares: null },
  duration: 3680,
  thumbnail: 'https://i.ytimg.com/vi/a/hq720.jpg',
  createdAt: null,
  ...untoldResult,
  authorId: 'UC3NHftLP8hcgAnnsChannel',
  authorUrl: 'https://www.youtube.com/channel/UC3NHftLP8hcgAnnsChannel',
  isLive: false,
}

const fieldsOf = (reports: DriftReport[]) => reports.flatMap(({ drift }) => drift.map(({ field }) => field))

describe('a YouTube search', () => {
  it('makes one request, for videos only, and gives the fields of the results', async () => {
    const { find, asked, reports } = setting({ search: { body: found([renderer('3NHftLP8hcg')]) } })
    expect(await find()).to.deep.equal([result])
    expect(asked.map(({ url, method }) => [new URL(url).pathname, method])).to.deep.equal([
      ['/youtubei/v1/search', 'POST'],
    ])
    expect(JSON.parse(String(asked[0]?.body))).to.deep.include({ query: 'cats', params: 'EgIQAQ%3D%3D' })
    expect(reports).to.deep.equal([])
  })

  it('gives no views for a running broadcast, and zero if YouTube says so; reads a rounded number', async () => {
    const search = {
      body: found([
        renderer('3NHftLP8hcg', {
          viewCountText: { runs: [{ text: '1,071' }, { text: ' watching' }] },
          lengthText: undefined,
        }),
        renderer('lXe53FWuEWg', { viewCountText: text('No views') }),
        renderer('DB_I99hcTvs', { viewCountText: text('1 view') }),
        renderer('dQw4w9WgXcQ', { viewCountText: text('1.2M views') }),
      ]),
    }
    const results = await setting({ search }).find()
    expect(results.map(({ stats, duration }) => [stats.views, duration])).to.deep.equal([
      [null, null],
      [0, 3680],
      [1, 3680],
      [1_200_000, 3680],
    ])
  })

  it('finds nothing if YouTube says that there is nothing', async () => {
    const nothing = { backgroundPromoRenderer: { title: { runs: [{ text: 'No results found' }] } } }
    expect(await setting({ search: { body: found([nothing]) } }).find()).to.deep.equal([])
    expect(await setting({ search: { body: found([], { estimatedResults: '0' }) } }).find()).to.deep.equal([])
  })

  it('never treats an unreadable answer as one without videos', async () => {
    const changed = {
      'search.answer.contents': {},
      'search.videos.0': found([{ newVideoRenderer: {} }], { estimatedResults: '900' }),
      'search.videos[].id': found([renderer('', { videoId: undefined })]),
    }
    for (const [field, body] of Object.entries(changed)) {
      const { find, reports } = setting({ search: { body } })
      expect(await failureOf(find())).to.include({ code: 'upstream_error' })
      expect(fieldsOf(reports)).to.deep.equal([field])
    }
  })

  it('names the field that is missing from every video', async () => {
    const fields = {
      title: 'title',
      ownerText: 'author',
      viewCountText: 'views',
      lengthText: 'length',
      thumbnail: 'thumbnail',
    }
    for (const [gone, field] of Object.entries(fields)) {
      const items = [renderer('3NHftLP8hcg', { [gone]: undefined }), renderer('lXe53FWuEWg', { [gone]: undefined })]
      const body = JSON.parse(JSON.stringify(found(items)))
      const { find, reports } = setting({ search: { body } })
      expect(await find(), gone).to.have.length(2)
      expect(fieldsOf(reports)).to.deep.equal([`search.videos[].${field}`])
    }
  })

  it('is blocked by 403 and 429', async () => {
    for (const status of [403, 429])
      expect(await failureOf(setting({ search: { status } }).find())).to.include({ code: 'platform_blocked' })
  })

  it('reads date, likes, description and tags of a result from its player', async () => {
    const { source, reading, asked } = setting({ search: {}, player: { body: player } })
    expect(await source.details(result, reading)).to.deep.equal({
      createdAt: '2017-05-16T14:50:53.000Z',
      description: 'All of it.',
      tags: ['cats', 'tea'],
      stats: { views: 15260, likes: 618, comments: null, shares: null },
    })
    const last = asked.at(-1)
    expect(new URL(last?.url ?? '').searchParams.get('$fields')).to.equal('microformat,playabilityStatus,videoDetails')
    expect(JSON.parse(String(last?.body)).videoId).to.equal('3NHftLP8hcg')
  })

  it('gives no date for a video that cannot be played from here', async () => {
    const body = { playabilityStatus: { status: 'LOGIN_REQUIRED' } }
    const { source, reading, reports } = setting({ search: {}, player: { body } })
    expect(await source.details(result, reading)).to.deep.include({ createdAt: null })
    expect(reports).to.deep.equal([])
  })

  it('names the missing field in the player answer of a playable video', async () => {
    const playabilityStatus = { status: 'OK' }
    const { publishDate, ...renderer } = player.microformat.playerMicroformatRenderer
    const answers: [string, object][] = [
      ['player.microformat', { playabilityStatus }],
      [
        'player.microformat.playerMicroformatRenderer.publishDate',
        { playabilityStatus, microformat: { playerMicroformatRenderer: renderer } },
      ],
    ]
    for (const [field, body] of answers) {
      const { source, reading, reports } = setting({ search: {}, player: { body } })
      await source.details(result, reading)
      expect(fieldsOf(reports)).to.deep.equal([field])
    }
  })
})

describeRecorded('a YouTube search', () => {
  it('is read with nothing missing', () => {
    const shape = Shape.of('search', findVideos(recordedJson('youtube/search-web-21-videos.json')))
    const { items: results, next } = parseSearch(shape)
    expect(next).to.be.a('string')
    expect(results).to.have.length(20)
    expect(results[0]).to.deep.include({
      url: 'https://www.youtube.com/watch?v=3NHftLP8hcg',
      author: 'LiDiRo Reagiert',
      duration: 680,
      stats: { views: 15260, likes: null, comments: null, shares: null },
      isLive: false,
    })
    expect(results.map(({ authorId }) => /^UC[\w-]{22}$/.test(authorId ?? ''))).to.not.include(false)
    expect(results.filter(({ isLive }) => isLive)).to.have.length(1)
    // the tenth is a broadcast
    expect(results.filter(({ duration }) => duration === null)).to.have.length(1)
    expect(shape.drift()).to.deep.equal([])
  })

  it('finds the date and the likes in the player answer', () => {
    const shape = Shape.of('player', recordedJson('youtube/player-web-microformat.An8vtD1FDqs.json'))
    expect(parsePlayer(shape)).to.deep.include({ createdAt: '2017-05-16T14:50:53.000Z', likes: 618 })
    expect(shape.drift()).to.deep.equal([])
  })
})
