import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import { InvalidEventError, type NewEvent, UnknownEventError } from '#packages/ports/event-store.ts'
import { type EventCatalog, releasedEvents, type Validator } from './catalog.ts'
import { type EncodedEvent, EventCodec } from './codec.ts'
import { laterVersion, laterVersions, newestFormat } from './versions.ts'

type Data1 = { smell: string }
type Data2 = { smell: string; strength: number | null }
type Data3 = { smells: { name: string; strength: number | null }[] }

/** Made-up versions, because no event has a later version yet. Versions 2 and 3 came with the formats 2 and 4. */
const later = [
  laterVersion<Data1, Data2>(2, {
    upcast: (before) => ({ ...before, strength: null }),
    downcast: ({ strength, ...before }) => before,
  }),
  laterVersion<Data2, Data3>(4, {
    upcast: ({ smell: name, strength }) => ({ smells: [{ name, strength }] }),
    downcast: ({ smells: [one] }) => ({ smell: one?.name ?? '', strength: one?.strength ?? null }),
  }),
]

const hasFields =
  (...fields: string[]): Validator =>
  (data) =>
    Object.keys(data as object).join() === fields.join()
const validators = [hasFields('smell'), hasFields('smell', 'strength'), hasFields('smells')]

/** The catalogue of a release that knows this many versions of the event. */
const knowing = (versions: number): EventCatalog => ({
  metadata: releasedEvents.metadata,
  kinds: new Map([
    ['VideoSmelled', { validators: validators.slice(0, versions), later: later.slice(0, versions - 1) }],
  ]),
})

const catalog = knowing(3)
const metadata = {
  orgId: 'org-1',
  correlationId: 'correlation-1',
  causationId: 'causation-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}
const made = (data: object): NewEvent =>
  ({ id: randomUUID(), type: 'VideoSmelled', data, metadata }) as unknown as NewEvent
const newest = made({ smells: [{ name: 'smoke', strength: 7 }] })

const writtenIn = (format: number): EncodedEvent => {
  const [event] = new EventCodec({ catalog, format }).encode('job-1', [newest])
  return event as EncodedEvent
}
const record = (event: EncodedEvent) => ({ ...event, stream: 'job-1', revision: 0, position: 1, recordedAt: 1000 })

describe('versions of events', () => {
  const codec = new EventCodec({ catalog })

  it('are read from the stored version, step by step, to the newest', () => {
    const [first, second, third] = [1, 2, 4].map((format) => record(writtenIn(format)))
    const read = [first, second, third].map((event) => codec.decode(event as ReturnType<typeof record>).data)
    expect(read).to.deep.equal([
      { smells: [{ name: 'smoke', strength: null }] },
      { smells: [{ name: 'smoke', strength: 7 }] },
      { smells: [{ name: 'smoke', strength: 7 }] },
    ])
    expect(codec.decodeWritten(first as ReturnType<typeof record>).data).to.deep.equal(read[0])
  })

  it('are validated by the schema of the stored version', () => {
    const wrong = record({ ...writtenIn(2), data: '{"smell":"smoke"}' })
    expect(() => codec.decode(wrong)).to.throw(InvalidEventError)
  })

  it('are written in the newest version of the format, until a newer format is set', () => {
    expect([1, 2, 3, 4, 5].map((format) => [writtenIn(format).version, writtenIn(format).data])).to.deep.equal([
      [1, '{"smell":"smoke"}'],
      [2, '{"smell":"smoke","strength":7}'],
      [2, '{"smell":"smoke","strength":7}'],
      [3, '{"smells":[{"name":"smoke","strength":7}]}'],
      [3, '{"smells":[{"name":"smoke","strength":7}]}'],
    ])
  })

  it('let the previous release read what a newer one writes in its format, and stop it at a newer version', () => {
    const before = new EventCodec({ catalog: knowing(2) })
    expect(before.decode(record(writtenIn(2))).data).to.deep.equal({ smell: 'smoke', strength: 7 })
    expect(() => before.decode(record(writtenIn(4)))).to.throw(UnknownEventError, 'version 3')
    expect(() => before.decodeWritten(record(writtenIn(4)))).to.throw(UnknownEventError, 'version 3')
  })

  it('are created only in the newest, whatever version is written', () => {
    for (const format of [1, 2, 4])
      expect(() => new EventCodec({ catalog, format }).encode('job-1', [made({ smell: 'smoke' })])).to.throw(
        InvalidEventError,
      )
  })

  it('are never written with data that does not fit them', () => {
    const wrong = later.map((each) => ({ ...each, downcast: () => ({}) }))
    const kinds = new Map([['VideoSmelled', { validators, later: wrong }]])
    expect(() => new EventCodec({ catalog: { ...catalog, kinds }, format: 1 }).encode('job-1', [newest])).to.throw(
      InvalidEventError,
    )
  })

  it('are as many as the schemas in contracts/, and the newest format writes the newest of each', () => {
    const later = Object.entries(newestVersion).filter(([, version]) => version > 1)
    expect(Object.keys(laterVersions).sort()).to.deep.equal(later.map(([type]) => type).sort())
    const formats = Object.values(laterVersions).flatMap((versions) => versions.map(({ sinceFormat }) => sinceFormat))
    expect(Math.max(1, ...formats)).to.equal(newestFormat)
  })
})
