import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { at, type Difference, differences, type Exception } from '../honesty.ts'
import { type Post, textPost, xVideos } from './catalogue.ts'
import { graphqlAnswer, syndicationAnswer } from './post-answers.ts'

const RESULT = 'data.tweetResult.result'

const graphqlExceptions: Exception[] = [
  { path: `${RESULT}.tombstone`, reason: 'compared with the tombstone of the interface of embedded posts below' },
  { path: `${RESULT}.tombstone.*`, reason: 'as above' },
  { path: `${RESULT}.reason`, reason: 'no post that is hidden from guests was recorded; yt-dlp names the field' },
]

const inPieces = 'the recording is elided; the other interface has it in the same place'
const embeddedExceptions: Exception[] = ['medium', 'small', 'thumb'].map((size) => ({
  path: `mediaDetails.*.sizes.${size}.*`,
  reason: inPieces,
}))

describeRecorded('the sandbox’s X is honest', () => {
  const posts = [...xVideos, textPost]
  const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const embedded = ['text-only.2023357708301455483', 'tombstone', 'video.elided.2023205364368351634']

  it('answers guests with nothing that was not recorded', () => {
    const ids = ['1841206275088290279', '1902059299591090335']
    const recorded = ids.map((id) => recordedJson(`x/TweetResultByRestId.${id}.json`))
    for (const post of posts) {
      const found = differences(sent(graphqlAnswer(post)), recorded, { exceptions: graphqlExceptions })
      expect(found.map(inWords), post.id).eql([])
    }
  })

  it('embeds posts with nothing that was not recorded', () => {
    const recorded = embedded.map((name) => recordedJson(`x/tweet-result.syndication.${name}.json`))
    for (const post of posts) {
      const answer = sent(syndicationAnswer(post) ?? {})
      expect(differences(answer, recorded, { exceptions: embeddedExceptions }).map(inWords), post.id).eql([])
    }
  })

  it('takes a post back in the words that were recorded', () => {
    const deleted = xVideos.find(({ trouble }) => trouble === 'deleted') as Post
    const recorded = recordedJson('x/tweet-result.syndication.tombstone.json')
    expect(sent(syndicationAnswer(deleted))).eql(recorded)
    expect(at(sent(graphqlAnswer(deleted)), RESULT)).eql(recorded)
  })
})

const inWords = ({ path, problem, seen, recorded }: Difference): string => `${path}: ${problem} (${seen}; ${recorded})`
