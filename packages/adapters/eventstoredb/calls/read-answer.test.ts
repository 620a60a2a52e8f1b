import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { readAnswerOf } from './read-answer.ts'

const { ReadResp } = streams
const { ReadEvent } = ReadResp
const { RecordedEvent } = ReadEvent

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const integer = fc.bigInt(0n, 9_007_199_254_740_991n)

const events = fc.record({
  id: fc.uuid(),
  stream: text,
  revision: integer,
  commit: integer,
  prepare: integer,
  type: text,
  created: fc.bigInt(0n, 400_000_000_000_000_000n),
  isJson: fc.boolean(),
  metadata: fc.oneof(fc.json(), text),
  data: fc.oneof(fc.json(), text),
  others: fc.dictionary(text, text, { maxKeys: 3 }),
})
type Sample = typeof events extends fc.Arbitrary<infer T> ? T : never

function recordedOf(sample: Sample) {
  const event = new RecordedEvent()
  event.setId(new shared.UUID().setString(sample.id))
  event.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(sample.stream)))
  event.setStreamRevision(String(sample.revision))
  event.setCommitPosition(String(sample.commit))
  event.setPreparePosition(String(sample.prepare))
  const named = event.getMetadataMap()
  for (const [key, value] of Object.entries(sample.others)) named.set(key, value)
  named.set('type', sample.type)
  named.set('content-type', sample.isJson ? 'application/json' : 'application/octet-stream')
  named.set('created', String(sample.created))
  event.setCustomMetadata(Buffer.from(sample.metadata))
  event.setData(Buffer.from(sample.data))
  return event
}

const encoded = (message: InstanceType<typeof ReadResp>): Buffer => Buffer.from(message.serializeBinary())
const plain = (value: unknown): unknown => (value instanceof Uint8Array ? [...value] : value)

describe("the server's answers to a reader", () => {
  it('are read as the client reads them', () => {
    fc.assert(
      fc.property(events, fc.boolean(), (sample, isLinked) => {
        const event = new ReadEvent().setEvent(recordedOf(sample)).setCommitPosition(String(sample.commit))
        // Of a kind that we never ask for.
        if (isLinked) event.setLink(recordedOf({ ...sample, stream: 'link' }))
        const bytes = encoded(new ReadResp().setEvent(event))
        const theirs = convertGrpcEvent(ReadResp.deserializeBinary(bytes).getEvent() as never).event
        const ours = readAnswerOf(bytes)
        if (ours.kind !== 'event') throw new Error(`read as ${ours.kind}`)
        expect(ours.bytes).to.equal(bytes.length)
        expect({ ...ours.event, data: plain(ours.event.data), metadata: plain(ours.event.metadata) }).to.deep.equal({
          ...theirs,
          data: plain(theirs?.data),
          metadata: plain(theirs?.metadata),
        })
      }),
      { numRuns: 300 },
    )
  })

  it('tell a confirmation, a checkpoint and the end of history apart, and leave out what is not known', () => {
    const checkpoint = new ReadResp.Checkpoint().setCommitPosition('4294967296123').setPreparePosition('7')
    const confirmation = new ReadResp.SubscriptionConfirmation().setSubscriptionId('one')
    const answers = [
      new ReadResp().setConfirmation(confirmation),
      new ReadResp().setCheckpoint(checkpoint),
      new ReadResp().setCaughtUp(new ReadResp.CaughtUp()),
      new ReadResp().setFellBehind(new ReadResp.FellBehind()),
      new ReadResp().setLastStreamPosition('12'),
      new ReadResp(),
    ]
    expect(answers.map((answer) => readAnswerOf(encoded(answer)))).to.deep.equal([
      { kind: 'confirmation' },
      { kind: 'checkpoint', position: 4_294_967_296_123 },
      { kind: 'caught-up' },
      { kind: 'other' },
      { kind: 'other' },
      { kind: 'other' },
    ])
  })

  it('skip fields of every kind that a newer server adds', () => {
    const bytes = encoded(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()))
    const varint = [0xf8, 0x01, 0xac, 0x02]
    const [fixed64, fixed32] = [
      [0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8],
      [0xfd, 0x01, 1, 2, 3, 4],
    ]
    const more = Buffer.from([...varint, ...fixed64, 0xfa, 0x01, 1, 9, ...fixed32])
    expect(readAnswerOf(Buffer.concat([more, bytes, more]))).to.deep.equal({ kind: 'caught-up' })
  })

  it('are refused where they end early', () => {
    const whole = encoded(new ReadResp().setCheckpoint(new ReadResp.Checkpoint().setCommitPosition('300')))
    for (let bytes = 1; bytes < whole.length; bytes++)
      expect(() => readAnswerOf(whole.subarray(0, bytes)), `${bytes}`).to.throw('ends early')
  })
})
