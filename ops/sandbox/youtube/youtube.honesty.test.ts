import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import type { CatalogueVideo, Trouble } from '../catalogue.ts'
import { at, type Difference, differences, type Exception } from '../honesty.ts'
import { loadMedia, type Media } from '../media.ts'
import { youtubeVideos } from './catalogue.ts'
import type { Client } from './playability.ts'
import { playerResponse } from './player.ts'
import { searchResponse } from './search.ts'
import { timedText } from './timedtext.ts'

const playerExceptions: Exception[] = [
  {
    path: 'streamingData.formats',
    reason: 'format 18: not in the recording, and compared with its other formats below',
  },
  { path: 'streamingData.formats.*', reason: 'as above' },
  {
    path: 'streamingData.adaptiveFormats.*.audioTrack',
    reason: 'the recorded video is not dubbed; yt-dlp names the fields',
  },
  { path: 'streamingData.adaptiveFormats.*.audioTrack.*', reason: 'as above' },
  { path: 'videoDetails.isLive', reason: 'no live video was recorded; yt-dlp names the field' },
  { path: 'videoDetails.isUpcoming', reason: 'no upcoming video was recorded; yt-dlp names the field' },
]

describeRecorded('the sandbox’s YouTube is honest', () => {
  let media: Media
  let recorded: { player: unknown[]; search: unknown[] }

  before(async function () {
    // the films may have to be made
    this.timeout(60_000)
    media = await loadMedia()
    const errors = ['private', 'geo', 'members-only'].map((name) =>
      at(recordedJson(`youtube/player-error-${name}.json`), 'playerResponse'),
    )
    const others = ['age_restricted', 'request_blocked', 'video_unavailable'].map((name) =>
      recordedJson(`youtube/player-transcript-api-${name}.json`),
    )
    const players = ['visionos.An8vtD1FDqs', 'visionos-no-streaming-data.it3OtbTxQk0', 'web-microformat.An8vtD1FDqs']
    const playing = players.map((name) => recordedJson(`youtube/player-${name}.json`))
    recorded = {
      player: [...playing, ...errors, ...others],
      search: [recordedJson('youtube/search-web-21-videos.json')],
    }
  })

  const answer = (video: CatalogueVideo, client: Client) =>
    playerResponse(video, { client, media, address: '198.51.100.1' })
  const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

  for (const client of ['app', 'web'] as const)
    it(`answers the ${client} client with nothing that was not recorded`, () => {
      for (const video of youtubeVideos) {
        const found = differences(sent(answer(video, client)), recorded.player, { exceptions: playerExceptions })
        expect(found.map(inWords), video.id).eql([])
      }
    })

  it('describes sound with a picture as the recorded formats are described', () => {
    const formats = at(sent(answer(youtubeVideos[0] as CatalogueVideo, 'app')), 'streamingData.formats')
    const known = at(recorded.player[0], 'streamingData.adaptiveFormats')
    expect(differences(formats, [known]).map(inWords)).eql([])
  })

  it('answers searches with nothing that was not recorded', () => {
    const now = new Date('2026-11-20T00:00:00Z')
    for (const query of ['sense page', 'live', 'kitchen', 'nothing like it']) {
      const found = differences(searchResponse(query, 0, now), recorded.search)
      expect(found.map(inWords), query).eql([])
    }
  })

  it('writes json3 as it was recorded', () => {
    const known = ['youtube-manual.first8', 'youtube-asr.synthetic'].map((name) =>
      recordedJson(`captions/${name}.json3`),
    )
    for (const track of youtubeVideos[0]?.captions ?? []) {
      expect(differences(timedText(track, 'json3')?.body, known).map(inWords)).eql([])
    }
  })

  it('is told no in the words that were recorded', () => {
    const reasonOf = (response: unknown) => at(response, 'playabilityStatus.reason')
    const statusOf = (response: unknown) => at(response, 'playabilityStatus.status')
    const known = new Set(recorded.player.map((one) => `${statusOf(one)} ${reasonOf(one)}`))
    const troubles: Trouble[] = ['private', 'deleted', 'age_restricted', 'geo_blocked', 'bot_check']
    for (const trouble of troubles) {
      const video = youtubeVideos.find((one) => one.trouble === trouble) as CatalogueVideo
      const told = answer(video, 'app')
      expect([...known], trouble).include(`${statusOf(told)} ${reasonOf(told)}`)
    }
  })
})

const inWords = ({ path, problem, seen, recorded: known }: Difference): string =>
  `${path}: ${problem} (${seen}; ${known})`
