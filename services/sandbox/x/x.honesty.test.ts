import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { at, type Exception, expectHonest } from '../honesty.fixture.ts'
import { type Post, textPost, xVideos } from './catalogue.ts'
import { graphqlAnswer, syndicationAnswer } from './post-answers.ts'
import { xShapes } from './shapes.fixture.ts'

const RESULT = 'data.tweetResult.result'

const graphqlExceptions: Exception[] = [
  { path: `${RESULT}.tombstone`, reason: 'compared with the tombstone of the interface of embedded posts below' },
  { path: `${RESULT}.tombstone.*`, reason: 'as above' },
  { path: `${RESULT}.reason`, reason: 'no post that is hidden from guests was recorded; yt-dlp names the field' },
  ...['errors', 'errors.*'].map((path) => ({ path, reason: 'no failure was recorded; yt-dlp reads the message' })),
]

/** The data for a withdrawn post. */
const takenBack = {
  __typename: 'TweetTombstone',
  tombstone: { text: { text: 'This Post was deleted by the Post author. Learn more' } },
}

describe('the sandbox’s X is honest', () => {
  const posts = [...xVideos, textPost]

  it('answers guests with no key that X does not have', () => {
    for (const post of posts) {
      expectHonest(graphqlAnswer(post), [xShapes.post], { exceptions: graphqlExceptions, of: post.id })
    }
  })

  it('embeds posts with no key that X does not have', () => {
    for (const post of posts) {
      expectHonest(syndicationAnswer(post) ?? {}, [xShapes.embedded], { of: post.id })
    }
  })

  it('withdraws a post in the words of X', () => {
    const deleted = xVideos.find(({ trouble }) => trouble === 'deleted') as Post
    expect(syndicationAnswer(deleted)).to.deep.equal(takenBack)
    expect(at(graphqlAnswer(deleted), RESULT)).to.deep.equal(takenBack)
  })
})

/** Compares the shapes and words above with the recordings. */
describeRecorded('the shapes match the real X', () => {
  it('of posts, for guests and embedded', () => {
    const guests = ['1841206275088290279', '1902059299591090335']
    const embedded = ['text-only.2023357708301455483', 'tombstone', 'video.elided.2023205364368351634']
    const posts = guests.map((id) => recordedJson(`x/TweetResultByRestId.${id}.json`))
    const others = embedded.map((name) => recordedJson(`x/tweet-result.syndication.${name}.json`))
    expectHonest(xShapes.post, posts)
    expectHonest(xShapes.embedded, others)
  })

  it('of a withdrawn post', () => {
    const { __typename, tombstone } = recordedJson('x/tweet-result.syndication.tombstone.json')
    const { text } = tombstone.text
    expect({ __typename, tombstone: { text: { text } } }).to.deep.equal(takenBack)
  })
})
