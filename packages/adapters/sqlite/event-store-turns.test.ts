import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openWriter } from './event-file.fixture.ts'
import { openSqliteEventStore } from './event-store.ts'

const metadata = JSON.stringify({
  orgId: 'org-1',
  correlationId: 'correlation-1',
  causationId: 'causation-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
})
const event = () => ({
  ...{ id: randomUUID(), type: 'CaptionsUnavailable', version: 1 },
  ...{ metadata, data: '{"reason":"test"}' },
})

describe('followers of the event file', () => {
  it('each read a page in a separate turn of the event loop', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'event-turns-'))
    const path = join(folder, 'events.sqlite')
    {
      using file = openWriter(path)
      file.write([
        { kind: 'append', stream: 'job-1', expected: 'no-stream', events: Array.from({ length: 12 }, event) },
      ])
    }
    let turn = 0
    let counting = setImmediate(function count() {
      turn++
      counting = setImmediate(count)
    })
    try {
      await using store = await openSqliteEventStore({ path, page: { events: 3, bytes: 1_000_000 } })
      const turns: number[] = []
      const follow = async (): Promise<void> => {
        const stop = new AbortController()
        for await (const batch of store.follow({ after: 0, prefixes: ['job-'], signal: stop.signal })) {
          turns.push(turn)
          if (batch.caughtUp) stop.abort()
        }
      }
      await Promise.all([follow(), follow(), follow()])
      expect(turns).to.have.length(12)
      expect(new Set(turns).size).to.equal(turns.length)
    } finally {
      clearImmediate(counting)
      await rm(folder, { recursive: true })
    }
  })
})
