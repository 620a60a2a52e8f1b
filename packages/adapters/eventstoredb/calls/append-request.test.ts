import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect } from 'chai'
import fc from 'fast-check'
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js'
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import { storeFormat } from '#packages/events/format/store-format.ts'
import { appendedOf, idOf, proposedOf, requestOf } from './append-request.ts'

const { BatchAppendReq, BatchAppendResp } = streams

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const data = fc.oneof(fc.json(), fc.uint8Array({ maxLength: 300 }))
const revision = fc.oneof(fc.constant('no-stream' as const), fc.nat(), fc.maxSafeNat())
const events = fc.array(
  fc.record({
    id: fc.uuid(),
    type: text,
    version: fc.integer({ min: 1, max: 9 }),
    data,
    metadata: fc.constant('{"a":1}'),
  }),
  { maxLength: 4 },
)

const half = fc.integer({ min: 1, max: 2 ** 48 - 1 })
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()

/** What the client's own classes read from one message. */
function fieldsOf(message: InstanceType<typeof BatchAppendReq.ProposedMessage>) {
  const named = message.getMetadataMap()
  return {
    id: message.getId()?.getString(),
    type: named.get('type'),
    contentType: named.get('content-type'),
    data: Buffer.from(message.getData_asU8()),
    metadata: textOf(message.getCustomMetadata_asU8()),
  }
}

const asTold = ({ id, type, version, data, metadata }: EncodedEvent) => ({
  id,
  type,
  contentType: typeof data === 'string' ? 'application/json' : 'application/octet-stream',
  data: Buffer.from(data),
  metadata: `{"format":${storeFormat},"version":${version},${metadata.slice(1)}`,
})

describe('an append on the wire', () => {
  it('is a request that the client’s classes read correctly', () => {
    fc.assert(
      fc.property(text, revision, events, half, half, (stream, expected, encoded, high, low) => {
        const request = requestOf(proposedOf(stream, expected, encoded), [high, low])
        const id = request.getCorrelationId()?.getStructured()
        expect([id?.getMostSignificantBits(), id?.getLeastSignificantBits()]).to.deep.equal([String(high), String(low)])
        const options = request.getOptions()
        expect(textOf(options?.getStreamIdentifier()?.getStreamName_asU8())).to.equal(stream)
        expect(options?.hasNoStream()).to.equal(expected === 'no-stream')
        if (expected !== 'no-stream') expect(options?.getStreamPosition()).to.equal(String(expected))
        const inSeconds = Number(options?.getDeadline()?.getSeconds()) - Date.now() / 1000
        expect(inSeconds).to.be.within(86_390, 86_401)
        expect(request.getIsFinal()).to.equal(true)
        expect(request.getProposedMessagesList().map(fieldsOf)).to.deep.equal(encoded.map(asTold))
      }),
      { numRuns: 300 },
    )
  })

  it('can be as large as a store allows', () => {
    const event: EncodedEvent = {
      id: crypto.randomUUID(),
      type: 'T',
      version: 1,
      data: 'é'.repeat(500_000),
      metadata: '{}',
    }
    const request = requestOf(proposedOf('job-1', 0, [event, event]), [1, 1])
    expect(textOf(request.getProposedMessagesList()[1]?.getData_asU8())).to.equal(event.data)
  })

  it('has the same answer as the client’s classes write', () => {
    const at = new shared.AllStreamPosition().setCommitPosition('4294967296123').setPreparePosition('4294967296123')
    const { Success } = BatchAppendResp
    const successes: [InstanceType<typeof Success>, object][] = [
      [new Success().setCurrentRevision('12').setPosition(at as never), { revision: 12, position: 4_294_967_296_123 }],
      [new Success().setCurrentRevision('0').setPosition(at as never), { revision: 0, position: 4_294_967_296_123 }],
      [new Success().setCurrentRevision('3').setNoPosition(new emptyPb.Empty()), { revision: 3, position: 0 }],
    ]
    const id = new shared.UUID.Structured().setMostSignificantBits('77').setLeastSignificantBits('300')
    for (const [success, appended] of successes) {
      const answer = new BatchAppendResp().setCorrelationId(new shared.UUID().setStructured(id)).setSuccess(success)
      expect(idOf(answer)).to.equal(300)
      expect(appendedOf(answer, 'job-1')).to.deep.equal(appended)
    }
  })
})
