import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import type { CatalogueVideo, Trouble } from '../catalogue.ts'
import { at, type Exception, expectHonest } from '../honesty.fixture.ts'
import { loadMedia, type Media } from '../media.ts'
import { youtubeVideos } from './catalogue.ts'
import type { Client } from './playability.ts'
import { playerResponse } from './player.ts'
import { searchResponse } from './search.ts'
import { youtubeShapes } from './shapes.fixture.ts'
import { timedText } from './timedtext.ts'

const playerExceptions: Exception[] = [
  { path: 'streamingData.formats', reason: 'format 18: not in the recording; compared with other formats below' },
  { path: 'streamingData.formats.*', reason: 'as above' },
  { path: 'streamingData.adaptiveFormats.*.audioTrack', reason: 'the recorded video is not dubbed; yt-dlp names it' },
  { path: 'streamingData.adaptiveFormats.*.audioTrack.*', reason: 'as above' },
  {
    path: 'playabilityStatus.errorScreen.playerInterstitialRenderer',
    reason: 'newer than the recording; yt-dlp names the fields',
  },
  { path: 'playabilityStatus.errorScreen.playerInterstitialRenderer.*', reason: 'as above' },
  { path: 'videoDetails.isLive', reason: 'no live video was recorded; yt-dlp names the field' },
  { path: 'videoDetails.isUpcoming', reason: 'no upcoming video was recorded; yt-dlp names the field' },
]

/** The texts of YouTube's player refusals. */
const refusals = [
  'LOGIN_REQUIRED This video is private',
  'ERROR This video is unavailable',
  'LOGIN_REQUIRED This video may be inappropriate for some users.',
  'LOGIN_REQUIRED Sign in to confirm you’re not a bot',
  'UNPLAYABLE The uploader has not made this video available in your country',
]

describe('the sandbox’s YouTube is honest', () => {
  let media: Media

  before(async function () {
    // The films may have to be made first.
    this.timeout(60_000)
    media = await loadMedia()
  })

  const answer = (video: CatalogueVideo, client: Client) =>
    playerResponse(video, { client, media, address: '198.51.100.1' })

  for (const client of ['app', 'web'] as const)
    it(`answers the ${client} client with no key that YouTube does not have`, () => {
      for (const video of youtubeVideos) {
        expectHonest(answer(video, client), [youtubeShapes.player], {
          exceptions: playerExceptions,
          of: video.id,
        })
      }
    })

  it('describes sound with a picture like YouTube’s other formats', () => {
    const formats = at(answer(youtubeVideos[0] as CatalogueVideo, 'app'), 'streamingData.formats')
    expectHonest(formats, [youtubeShapes.player.streamingData.adaptiveFormats])
  })

  it('answers searches with no key that YouTube does not have', () => {
    for (const query of ['sense page', 'live', 'kitchen', 'nothing like it']) {
      expectHonest(searchResponse(query, 0), [youtubeShapes.search], { of: query })
    }
  })

  it('writes json3 as YouTube does', () => {
    for (const track of youtubeVideos[0]?.captions ?? []) {
      expectHonest(timedText(track, 'json3')?.body, [youtubeShapes.json3])
    }
  })

  it('refuses in the words of YouTube', () => {
    const troubles: Trouble[] = ['private', 'deleted', 'age_restricted', 'geo_blocked', 'bot_check']
    for (const trouble of troubles) {
      const video = youtubeVideos.find((one) => one.trouble === trouble) as CatalogueVideo
      expect(refusals, trouble).to.include(refusalOf(answer(video, 'app')))
    }
  })
})

/** Compares the shapes and words above with the recordings. */
describeRecorded('the shapes match the real YouTube', () => {
  let player: unknown[]
  before(() => {
    const errors = ['private', 'geo', 'members-only'].map((name) =>
      at(recordedJson(`youtube/player-error-${name}.json`), 'playerResponse'),
    )
    const others = ['age_restricted', 'request_blocked', 'video_unavailable'].map((name) =>
      recordedJson(`youtube/player-transcript-api-${name}.json`),
    )
    const players = ['visionos.An8vtD1FDqs', 'visionos-no-streaming-data.it3OtbTxQk0', 'web-microformat.An8vtD1FDqs']
    player = [...players.map((name) => recordedJson(`youtube/player-${name}.json`)), ...errors, ...others]
  })

  it('of players, searches and captions', () => {
    const captions = ['youtube-manual.first8', 'youtube-asr.synthetic'].map((name) => `captions/${name}.json3`)
    expectHonest(youtubeShapes.player, player)
    expectHonest(youtubeShapes.search, [recordedJson('youtube/search-web-21-videos.json')])
    expectHonest(youtubeShapes.json3, captions.map(recordedJson))
  })

  it('of refusals, in these words', () => {
    expect(player.map(refusalOf)).to.include.members(refusals)
  })
})

const refusalOf = (response: unknown): string =>
  `${at(response, 'playabilityStatus.status')} ${at(response, 'playabilityStatus.reason')}`
