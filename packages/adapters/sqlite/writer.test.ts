import { expect } from 'chai'
import { EventCodec } from '#packages/events/format/codec.ts'
import { failureOf, grant } from '#packages/ports/event-store-samples.contract.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import type { WriteRequest } from './append-writer.ts'
import { Writer } from './writer.ts'

describe('the writer of the event file', () => {
  const at = fileOfEachTest('events.sqlite')

  it('rejects requests under way when its thread dies, and continues with another thread', async () => {
    await using writer = await Writer.start({ path: at.path, busyTimeoutMs: 1000, maxWaiting: 10 })
    const append = (stream: string): WriteRequest => ({
      kind: 'append',
      appends: [{ stream, expected: 'no-stream', events: new EventCodec().encode(stream, [grant()]) }],
    })
    const broken = [{ stream: 'credits-1', expected: 'no-stream', events: [{ data: undefined }] }]
    const deadly = { kind: 'append', appends: broken } as unknown as WriteRequest
    expect(await failureOf(writer.write(deadly))).to.be.instanceOf(TypeError)
    expect(await writer.write(append('credits-2'))).to.have.nested.property('stored[0].revision', 0)
  })
})
