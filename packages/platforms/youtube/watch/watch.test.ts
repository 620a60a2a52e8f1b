import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { Shape } from '../../reading/shape.ts'
import { chaptersOf } from './chapters.ts'
import { refusalOf } from './create-watch.ts'
import { parseWatch } from './parse-watch.ts'

/** The page around the player, with its required fields. */
const next = (dateText = 'Jan 5, 2026') => ({
  contents: {
    twoColumnWatchNextResults: {
      results: {
        results: {
          contents: [
            { videoPrimaryInfoRenderer: { dateText: { simpleText: dateText } } },
            { videoSecondaryInfoRenderer: { owner: { videoOwnerRenderer: {} } } },
          ],
        },
      },
    },
  },
})

describe('chapters of a description', () => {
  const of = (description: string, duration = 600) =>
    chaptersOf(Shape.of('next', {}), description, duration).map(({ start, title }) => [start, title])

  it('are lines with a time before or after their title, in order and within the video', () => {
    expect(of('Hello\n0:00 Intro\n1:30 - The middle\n2:00:00 Too late\nSee 3:00 there')).to.deep.equal([
      [0, 'Intro'],
      [90, 'The middle'],
    ])
    expect(of('Intro 0:00\nThe end (5:00)')).to.deep.equal([[0, 'Intro']])
    expect(of('No times at all')).to.deep.equal([])
  })
})

describeRecorded('answers of YouTube’s player to apps', () => {
  const recorded = (name: string) => recordedJson(`youtube/player-${name}.json`)

  it('are read as yt-dlp reads them', () => {
    const player = recorded('visionos.An8vtD1FDqs')
    const url = 'https://www.youtube.com/watch?v=An8vtD1FDqs'
    expect(refusalOf(Shape.of('player', player), 'An8vtD1FDqs', url)).to.equal(undefined)
    const { info } = parseWatch('An8vtD1FDqs', Shape.of('player', player), Shape.of('next', next()))
    const theirs = recordedJson('ytdlp-J/youtube.json')
    expect(info).to.deep.include({
      id: theirs.id,
      title: theirs.title,
      description: theirs.description,
      durationSeconds: theirs.duration,
      viewCount: theirs.view_count,
      liveStatus: theirs.live_status,
      timestamp: Date.UTC(2026, 0, 5) / 1000,
    })
    const own = info.captions.filter(({ translated }) => !translated)
    expect(own.filter(({ automatic }) => !automatic).map(({ language }) => language)).to.deep.equal(
      Object.keys(theirs.subtitles),
    )
    expect(info.captions.length).to.be.above(own.length)
    expect(info.formats.length).to.be.above(5)
  })

  for (const [name, code] of [
    ['transcript-api-age_restricted', 'age_restricted'],
    ['transcript-api-request_blocked', 'platform_blocked'],
    ['transcript-api-video_unavailable', 'video_unavailable'],
    ['visionos-no-streaming-data.it3OtbTxQk0', 'upstream_error'],
    ['error-private', 'video_private'],
    ['error-geo', 'geo_blocked'],
    ['error-members-only', 'login_required'],
  ] as const)
    it(`that refuse mean what they mean to yt-dlp: ${name} is ${code}`, () => {
      const answer = recorded(name)
      const player = Shape.of('player', answer.playerResponse ?? answer)
      expect(refusalOf(player, 'any', 'https://www.youtube.com/watch?v=any')?.code).to.equal(code)
    })
})
