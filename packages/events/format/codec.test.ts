import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  AppendTooLargeError,
  InvalidEventError,
  type NewEvent,
  UnknownEventError,
} from '#packages/ports/event-store.ts'
import { metadata, unavailable } from '#packages/ports/event-store-samples.contract.ts'
import { type EncodedRecord, EventCodec, maxAppendBytes } from './codec.ts'

const place = { stream: 'job-1', revision: 0, position: 1, recordedAt: 1000 }
const record = (more: Partial<EncodedRecord>): EncodedRecord => ({
  id: randomUUID(),
  type: 'CaptionsUnavailable',
  version: 1,
  data: '{"reason":"x"}',
  metadata: JSON.stringify(metadata),
  ...place,
  ...more,
})

describe('EventCodec', () => {
  const codec = new EventCodec()
  const encodeOne = (event: NewEvent) => {
    const [encoded] = codec.encode('job-1', [event])
    if (encoded === undefined) throw new Error('nothing was encoded')
    return encoded
  }

  it('stores short data as readable JSON at the newest version', () => {
    const event = unavailable('none')
    expect(encodeOne(event)).to.deep.equal({
      id: event.id,
      type: 'CaptionsUnavailable',
      version: 1,
      data: '{"reason":"none"}',
      metadata: JSON.stringify(metadata),
    })
  })

  it('compresses data over 64 KiB, and returns it unchanged', () => {
    const event = unavailable('long words € '.repeat(20_000))
    const encoded = encodeOne(event)
    expect(encoded.data).to.be.instanceOf(Uint8Array)
    expect(encoded.data.length).to.be.lessThan(10_000)
    expect(codec.decode({ ...encoded, ...place }).data).to.deep.equal(event.data)
  })

  it('decodes just-written events as later reads do', () => {
    for (const event of [unavailable('none'), unavailable('long words € '.repeat(20_000)), unavailable('\ud800')]) {
      const written = { ...encodeOne(event), ...place }
      expect(codec.decodeWritten(written)).to.deep.equal(codec.decode(written))
    }
  })

  it('limits the encoded data of all events together, without their metadata', () => {
    // 21 texts of 50,000 bytes in 25,000 characters each.
    const events = Array.from({ length: 21 }, () => unavailable('ü'.repeat(25_000)))
    expect(() => codec.encode('job-1', events)).to.throw(AppendTooLargeError, /exceeds 1 MiB/)
    expect(codec.encode('job-1', events.slice(1))).to.have.length(20)
    const small = Array.from({ length: 10_000 }, () => unavailable('x'))
    const bytes = codec.encode('job-1', small).reduce((sum, each) => sum + each.data.length + each.metadata.length, 0)
    expect(bytes).to.be.greaterThan(maxAppendBytes)
  })

  it('refuses data too large for memory, however well it compresses', () => {
    expect(() => codec.encode('job-1', [unavailable('x'.repeat(33 * 1_048_576))])).to.throw(AppendTooLargeError)
  })

  it('names the field that is wrong, and never its value', () => {
    const wrong = { ...unavailable('x'), data: { reason: 17, secret: 'ma_secret' } } as unknown as NewEvent
    expect(() => codec.encode('job-1', [wrong]))
      .to.throw(InvalidEventError)
      .with.property('message')
      .that.not.includes('ma_')
  })

  it('throws UnknownEventError for an unknown type or version, even in what it wrote itself', () => {
    for (const decode of [codec.decode.bind(codec), codec.decodeWritten.bind(codec)]) {
      expect(() => decode(record({ version: 2 }))).to.throw(UnknownEventError, 'version 2')
      expect(() => decode(record({ type: 'VideoSmelled' }))).to.throw(UnknownEventError, 'VideoSmelled')
    }
  })

  it('refuses stored data or metadata that does not fit its own schema', () => {
    expect(() => codec.decode(record({ data: '{}' }))).to.throw(InvalidEventError)
    expect(() => codec.decode(record({ metadata: '{}' }))).to.throw(InvalidEventError)
  })
})
