import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EventCodec } from '#packages/events/format/codec.ts'
import { failureOf, grant } from '#packages/ports/event-store-samples.contract.ts'
import type { WriteRequest } from './append-writer.ts'
import { Writer } from './writer.ts'

describe('the writer of the event file', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'writer-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('rejects requests under way when its thread dies, and continues with another thread', async () => {
    await using writer = await Writer.start({ path: join(folder, 'events'), busyTimeoutMs: 1000, maxWaiting: 10 })
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
