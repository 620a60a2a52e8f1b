import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import { InvalidEventError, UnknownEventError } from '#packages/ports/event-store.ts'
import { type EncodedEvent, EventCodec } from './codec.ts'
import { knowing, later, made, validators } from './made-up-event.fixture.ts'
import { laterVersions, newestFormat } from './versions.ts'

const catalog = knowing(3)
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
