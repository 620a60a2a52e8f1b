import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect } from 'chai'
import { readAnswerOf } from './read-call.ts'

const { ReadResp } = streams

const encoded = (message: InstanceType<typeof ReadResp>): Buffer => Buffer.from(message.serializeBinary())

describe("the server's answers to a reader", () => {
  it('distinguish a confirmation, a checkpoint and the end of history, and leave out unknown kinds', () => {
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
})
