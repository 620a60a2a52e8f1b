import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { AppendWriter, type WriteRequest } from './append-writer.ts'
import { prepareEventFile } from './event-schema.ts'

const append = (stream: string, expected: number | 'no-stream', bytes = 10): WriteRequest => ({
  kind: 'append',
  appends: [
    {
      stream,
      expected,
      events: [{ id: randomUUID(), type: 'Any', version: 1, data: 'x'.repeat(bytes), metadata: '{}' }],
    },
  ],
})

describe('AppendWriter', () => {
  let database: DatabaseSync
  let writer: AppendWriter
  beforeEach(() => {
    database = new DatabaseSync(':memory:')
    prepareEventFile(database, ':memory:')
    writer = new AppendWriter(database)
  })
  afterEach(() => database.close())

  it('lets each request of a group succeed or fail on its own, and see those before it', () => {
    const again = append('job-1', 0)
    const before = Date.now()
    const outcomes = writer.write([
      append('job-1', 'no-stream'),
      append('job-1', 'no-stream'),
      again,
      again,
      append('job-2', 5),
      { kind: 'remove', stream: 'job-1' },
      append('job-1', 1),
      append('job-3', 'no-stream'),
    ])
    const [first] = outcomes
    if (first?.kind !== 'appended') throw new Error('the first append was not written')
    const recordedAt = first.stored[0]?.recordedAt ?? 0
    expect(recordedAt).to.be.within(before, Date.now())
    expect(outcomes).to.deep.equal([
      { kind: 'appended', stored: [{ revision: 0, position: 1, recordedAt }] },
      { kind: 'conflict', stream: 'job-1', expected: 'no-stream', actual: 0 },
      { kind: 'appended', stored: [{ revision: 1, position: 2, recordedAt }] },
      { kind: 'appended', stored: [{ revision: 1, position: 2 }] },
      { kind: 'conflict', stream: 'job-2', expected: 5, actual: 'no-stream' },
      { kind: 'stream-removed', stream: 'job-1' },
      { kind: 'stream-removed', stream: 'job-1' },
      { kind: 'appended', stored: [{ revision: 0, position: 3, recordedAt }] },
    ])
  })

  it('gives up the first events of a stream, and only those, within a group', () => {
    const truncate = (stream: string, before: number): WriteRequest => ({ kind: 'truncate', stream, before })
    const appends = [append('credits-1', 'no-stream'), append('credits-1', 0), append('credits-1', 1)]
    const outcomes = writer.write([
      ...appends,
      append('credits-2', 'no-stream'),
      truncate('credits-1', 3),
      truncate('credits-1', 2),
      truncate('credits-1', 1),
      ...appends,
      truncate('credits-3', 0),
      { kind: 'remove', stream: 'credits-1' },
      truncate('credits-1', 2),
    ])
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal([
      ...['appended', 'appended', 'appended', 'appended', 'no-such-revision', 'truncated', 'truncated'],
      ...['conflict', 'conflict', 'appended', 'no-such-revision', 'stream-removed', 'truncated'],
    ])
    const ranges = database.prepare('SELECT first, last FROM removals ORDER BY first').all()
    expect(ranges.map(({ first, last }) => [first, last])).to.deep.equal([[1, 3]])
  })

  it('does not repeat a removal or truncation, nor report a deletion for the repeat', () => {
    let erasures = 0
    const counting = new AppendWriter(database, () => erasures++)
    const removal: WriteRequest = { kind: 'remove', stream: 'job-1' }
    const truncation: WriteRequest = { kind: 'truncate', stream: 'job-2', before: 1 }
    counting.write([append('job-1', 'no-stream'), append('job-2', 'no-stream'), append('job-2', 0)])
    counting.write([removal, truncation])
    expect(erasures).to.equal(1)
    const before = Number(database.prepare('SELECT total_changes() AS n').get()?.n)
    for (const request of [removal, truncation]) counting.write([request])
    expect(database.prepare('SELECT total_changes() AS n').get()?.n).to.equal(before)
    expect(erasures).to.equal(1)
  })

  it('writes nothing of a group when the disk is full, and works again when there is room', () => {
    const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count)
    database.exec(`PRAGMA max_page_count = ${pages + 20}`)
    const outcomes = writer.write([append('job-1', 'no-stream'), append('job-2', 'no-stream', 500_000)])
    expect(outcomes.map((outcome) => outcome.kind)).to.deep.equal(['unwritable', 'unwritable'])
    expect(database.prepare('SELECT count(*) AS n FROM events').get()?.n).to.equal(0)
    const [small] = writer.write([append('job-1', 'no-stream')])
    expect(small?.kind).to.equal('appended')
    database.exec(`PRAGMA max_page_count = ${pages + 1000}`)
    const [large] = writer.write([append('job-2', 'no-stream', 500_000)])
    expect(large?.kind).to.equal('appended')
  })
})
