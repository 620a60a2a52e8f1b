import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { openArchive } from './open-archive.ts'

const options = { origin: 'store-1', withContent: true, from: null, program: '1' }
const history = readHistories().flatMap(({ name, events }) => (name.startsWith('v2/') ? events : []))

describe('ArchiveWriter', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'archive-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('writes every event with its columns', async () => {
    {
      await using writer = await ArchiveWriter.open(directory, options)
      await writer.add(history)
      await writer.commit(history.at(-1)?.position ?? 0)
    }
    using archive = await openArchive(directory)
    const rows = await archive.connection.runAndReadAll(
      `SELECT position::INTEGER AS position, stream, category, revision, id::VARCHAR AS id, type, version,
         epoch_ms(recorded_at)::DOUBLE AS recorded_at, org_id, correlation_id, causation_id, traceparent, data
       FROM events ORDER BY position`,
    )
    expect(rows.getRowObjectsJS()).to.deep.equal(history.map(rowOf))
  })
})

const rowOf = ({ metadata, data, recordedAt, stream, ...event }: StoredEvent) => ({
  ...event,
  stream,
  category: /^[a-z]+/.exec(stream)?.[0],
  version: newestVersion[event.type],
  recorded_at: recordedAt,
  org_id: metadata.orgId,
  correlation_id: metadata.correlationId,
  causation_id: metadata.causationId,
  traceparent: metadata.traceparent,
  data: JSON.stringify(data),
})
