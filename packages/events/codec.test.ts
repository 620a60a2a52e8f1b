import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { EventData, EventType } from '#contracts/generated/events.ts'
import {
  AppendTooLargeError,
  InvalidEventError,
  type NewEvent,
  UnknownEventError,
} from '#packages/ports/event-store.ts'
import { type EventCatalog, releasedEvents, type Validator } from './catalog.ts'
import { type EncodedEvent, type EncodedRecord, EventCodec, maxAppendBytes } from './codec.ts'
import { formatOfGrant, formatOfJob } from './needed-format.ts'
import { type LaterVersion, laterVersions, newestFormat } from './versions.ts'

const metadata = {
  orgId: 'org-1',
  correlationId: 'correlation-1',
  causationId: 'causation-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}
const unavailable = (reason: string): NewEvent => ({
  id: randomUUID(),
  type: 'CaptionsUnavailable',
  data: { reason },
  metadata,
})
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

  it('compresses data over 64 KiB, and gives it back unchanged', () => {
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

  it('refuses unknown types and versions also in events that it wrote itself', () => {
    expect(() => codec.decodeWritten(record({ version: 2 }))).to.throw(UnknownEventError, 'version 2')
    expect(() => codec.decodeWritten(record({ type: 'VideoSmelled' }))).to.throw(UnknownEventError, 'VideoSmelled')
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

  it('throws UnknownEventError for a type or a version that it does not know', () => {
    expect(() => codec.decode(record({ version: 2 }))).to.throw(UnknownEventError, 'version 2')
    expect(() => codec.decode(record({ type: 'VideoSmelled' }))).to.throw(UnknownEventError, 'VideoSmelled')
  })

  it('refuses stored data or metadata that does not fit its own schema', () => {
    expect(() => codec.decode(record({ data: '{}' }))).to.throw(InvalidEventError)
    expect(() => codec.decode(record({ metadata: '{}' }))).to.throw(InvalidEventError)
  })

  describe('versions', () => {
    type Data = Record<string, unknown>
    const has =
      (field: string): Validator =>
      (value) =>
        Object.hasOwn(value as object, field)
    const later: LaterVersion[] = [
      {
        sinceFormat: 2,
        upcast: (data) => ({ code: (data as Data).reason }),
        downcast: (data) => ({ reason: (data as Data).code }),
      },
      {
        sinceFormat: 4,
        upcast: (data) => ({ codes: [(data as Data).code] }),
        downcast: (data) => ({ code: ((data as Data).codes as unknown[])[0] }),
      },
    ]
    const catalog: EventCatalog = {
      metadata: releasedEvents.metadata,
      kinds: new Map([['CaptionsUnavailable', { validators: [has('reason'), has('code'), has('codes')], later }]]),
    }
    const inFormat = (format: number) => new EventCodec({ catalog, format })
    const newest = { ...unavailable('x'), data: { codes: ['x'] } } as unknown as NewEvent

    it('validates at the stored version and brings it, step by step, to the newest', () => {
      const codec = inFormat(1)
      expect(codec.decode(record({ version: 1 })).data).to.deep.equal({ codes: ['x'] })
      expect(codec.decode(record({ version: 2, data: '{"code":"y"}' })).data).to.deep.equal({ codes: ['y'] })
      expect(codec.decode(record({ version: 3, data: '{"codes":[]}' })).data).to.deep.equal({ codes: [] })
      expect(codec.decodeWritten(record({ version: 1 })).data).to.deep.equal({ codes: ['x'] })
      expect(() => codec.decode(record({ version: 2, data: '{"reason":"x"}' }))).to.throw(InvalidEventError)
      expect(() => codec.decode(record({ version: 4 }))).to.throw(UnknownEventError)
    })

    it('writes the newest version that the format has', () => {
      const written = [1, 2, 3, 4, 5].map((format) => {
        const [event] = inFormat(format).encode('job-1', [newest])
        return [event?.version, event?.data]
      })
      expect(written).to.deep.equal([
        [1, '{"reason":"x"}'],
        [2, '{"code":"x"}'],
        [2, '{"code":"x"}'],
        [3, '{"codes":["x"]}'],
        [3, '{"codes":["x"]}'],
      ])
    })

    it('accepts new events only in the newest version, whatever version it writes', () => {
      const old = unavailable('x')
      for (const format of [1, 2, 4]) expect(() => inFormat(format).encode('job-1', [old])).to.throw(InvalidEventError)
    })

    it('never writes data that does not fit the version it is written in', () => {
      const wrong = later.map((each) => ({ ...each, downcast: () => ({}) }))
      const kinds = new Map([
        ['CaptionsUnavailable', { validators: [has('reason'), has('codes')], later: wrong.slice(1) }],
      ])
      const codec = new EventCodec({ catalog: { ...catalog, kinds }, format: 1 })
      expect(() => codec.encode('job-1', [newest])).to.throw(InvalidEventError)
    })
  })

  describe('format 1', () => {
    const used = { tokens: { input: 120, output: 30 }, audioSeconds: 7.5 }
    const purpose = { operation: 'transcript', mode: 'auto', platform: 'youtube', keyId: 'key-1' } as const
    const hash = 'c'.repeat(64)
    const debit = { jobId: 'job-1', credits: 5, requestHash: hash }
    const none = { failFast: false, strictLang: false, translate: false, words: false, speakers: false }
    /** An event with everything in it, and what format 1 makes of the fields that it loses. */
    const losses: { [T in EventType]?: { data: EventData[T]; lost: Partial<EventData[T]> } } = {
      StepFailed: {
        data: { step: 'extract', attempt: 1, code: 'upstream_error', retryAfterSeconds: 2, used },
        lost: { used: null },
      },
      JobFailed: {
        data: { orgId: 'org-1', kind: 'extraction', code: 'extraction_invalid', message: 'No.', used },
        lost: { used: null },
      },
      JobRequested: {
        data: {
          orgId: 'org-1',
          kind: 'transcript',
          url: 'https://cdn.example.com/film.mp4',
          mode: 'auto',
          lang: 'de',
          prompt: null,
          schema: null,
          budget: 5,
          lane: 'priority',
          requestHash: hash,
          idempotencyKeyHash: hash,
          windowSeconds: 180,
          keyId: 'key-1',
          options: { failFast: true, strictLang: true, translate: true, words: true, speakers: true },
        },
        lost: { keyId: null, options: none },
      },
      CaptionsRead: {
        data: {
          language: 'de',
          source: 'translated',
          segments: [{ start: 0, end: 1, text: 'Hallo.' }],
          engine: 'captions',
          model: null,
          audioSeconds: null,
        },
        lost: { source: 'automatic' },
      },
      CreditsDebited: {
        data: { ...debit, ...purpose, period: '2026-11' },
        lost: { mode: null, platform: null, keyId: null, period: '' },
      },
      CreditsSettled: {
        data: { jobId: 'job-1', charged: 1, refunded: 4, reason: 'completed', ...purpose },
        lost: { operation: null, mode: null, platform: null, keyId: null },
      },
      CreditsStated: {
        data: {
          balance: 7,
          plan: 'pro',
          period: '2026-11',
          renewed: 2000,
          openDebits: [{ ...debit, ...purpose, period: '2026-11' }],
          spending: { period: '2026-11', keys: [{ keyId: 'key-1', credits: 5 }] },
        },
        lost: {
          openDebits: [{ ...debit, operation: null, mode: null, platform: null, keyId: null, period: '' }],
          spending: { period: '', keys: [] },
        },
      },
      KeyCreated: {
        data: {
          orgId: 'org-1',
          name: 'laptop',
          sha256: 'a'.repeat(64),
          prefix: 'ma_abcd',
          suffix: 'wxyz',
          scopes: ['read', 'keys'],
          monthlyCredits: 10,
          expiresAt: 5000,
          createdBy: 'key-1',
        },
        lost: { scopes: null, monthlyCredits: null, expiresAt: null, createdBy: null },
      },
    }

    it('loses something of every event that has a later version', () => {
      expect(losses).to.have.all.keys(Object.keys(laterVersions))
    })

    for (const [type, { data, lost }] of Object.entries(losses)) {
      const writtenIn = (format: number): EncodedRecord => {
        const [event] = new EventCodec({ format }).encode('job-1', [
          { type, data, id: randomUUID(), metadata } as NewEvent,
        ])
        return { ...(event as EncodedEvent), ...place }
      }

      it(`loses ${Object.keys(lost).join(', ')} of ${type}, and nothing else`, () => {
        const [first, second] = [writtenIn(1), writtenIn(2)]
        expect([first.version, second.version]).to.deep.equal([1, 2])
        expect(codec.decode(second).data).to.deep.equal(data)
        expect(codec.decode(first).data).to.deep.equal({ ...data, ...lost })
        expect(codec.decodeWritten(first)).to.deep.equal(codec.decode(first))
      })
    }

    it('holds jobs without options of keys without a cap, and keys without limits: others need format 2', () => {
      const job = { options: none, monthlyCredits: null }
      expect(formatOfJob(job)).to.equal(1)
      for (const option of Object.keys(none))
        expect(formatOfJob({ ...job, options: { ...none, [option]: true } })).to.equal(2)
      expect(formatOfJob({ ...job, monthlyCredits: 0 })).to.equal(2)
      const full = { scopes: null, monthlyCredits: null, expiresAt: null }
      expect(formatOfGrant(full)).to.equal(1)
      for (const limit of [{ scopes: ['read' as const] as ['read'] }, { monthlyCredits: 0 }, { expiresAt: 0 }])
        expect(formatOfGrant({ ...full, ...limit })).to.equal(2)
    })
  })

  it('writes every event in its newest version by default', () => {
    const released = Object.values(laterVersions).flat()
    expect(Math.max(...released.map(({ sinceFormat }) => sinceFormat))).to.equal(newestFormat)
  })
})
