import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  RevisionConflictError,
} from '#packages/ports/event-store.ts'
import { grant } from '#packages/ports/event-store-samples.contract.ts'
import { MemoryEventStore, MemoryEvents } from './memory/event-store.ts'
import { openSqliteEventStore } from './sqlite/event-store.ts'
import { systemClock } from './system/clock.ts'

const file = new URL('../../../shared/eventstoredb/behaviour.json', import.meta.url)

type Recording = {
  name: string
  observed: {
    ok?: { nextExpectedRevision: string; position: { commit: string } }
    threw?: { type: string; actualVersion: string }
    count?: number
  }
}

const [e1, e2, e3, other] = [grant(1), grant(2), grant(3), grant(4)] as const

/** The calls that were recorded, by the number of their recording, in their order. */
const calls: Record<string, { expected: ExpectedRevision; events: NewEvent[]; stream?: string }> = {
  '3a': { expected: 'no-stream', events: [e1, e2] },
  '3b': { expected: 'no-stream', events: [e1, e2] },
  '3d': { expected: 1, events: [e1, e2] },
  '3f': { expected: 3, events: [e3] },
  '3g': { expected: 'no-stream', events: [e1, e2] },
  '3i': { expected: 'no-stream', events: [e1, other] },
  '3j': { expected: 'no-stream', events: [e1, e2, e3, other] },
  '3l': { expected: 'no-stream', events: [e1] },
  '3m': { expected: 0, events: [e2] },
  '3n': { expected: 'no-stream', events: [{ ...grant(99), id: e1.id }] },
  '3p': { expected: 'no-stream', events: [e1], stream: 'credits-another' },
  '3q': { expected: 'no-stream', events: [e1, e2] },
}

/** Recordings that count the events of the stream at their point of the order. */
const counts = ['3e', '3e3', '3o']

/** 3c, 3e2, 3h, 3k, 3s to 3u append with ANY or STREAM_EXISTS, which the port does not have. */
const order = ['3a', '3b', '3d', '3e', '3e3', '3f', '3g', '3i', '3j', '3l', '3m', '3n', '3o', '3p', '3q']

const number = (text: string): number => Number(text.replace('n', ''))

async function answerOf(store: EventStore, name: string) {
  const { expected, events, stream = 'credits-recorded' } = calls[name] ?? { expected: 0, events: [] }
  try {
    return await store.append(stream, expected, events)
  } catch (error) {
    if (error instanceof RevisionConflictError) return { conflict: error.actual }
    throw error
  }
}

function itAnswersAsRecorded(name: string, open: () => Promise<EventStore>): void {
  it(`${name} answers repeated appends as EventStoreDB was recorded to`, async function () {
    if (!existsSync(file)) return this.skip()
    const recordings = JSON.parse(readFileSync(file, 'utf8')) as Recording[]
    const recorded = (number: string) => recordings.find(({ name }) => name.startsWith(`${number} `))?.observed ?? {}
    const positions = new Map<string, number>()
    {
      await using store = await open()
      for (const number of order) await check(store, number, recorded(number), positions)
    }
    await using reopened = await open()
    expect(await answerOf(reopened, '3a'), '3r, after a restart').to.include({ revision: 1 })
    expect(recorded('3r').ok?.nextExpectedRevision).to.equal('1n')
  })
}

async function check(store: EventStore, name: string, recorded: Recording['observed'], positions: Map<string, number>) {
  if (counts.includes(name)) {
    expect(await store.read('credits-recorded'), name).to.have.length(recorded.count ?? -1)
    return
  }
  const answer = await answerOf(store, name)
  if (recorded.threw !== undefined) {
    expect(answer, name).to.deep.equal({ conflict: number(recorded.threw.actualVersion) })
    return
  }
  expect(answer, name).to.include({ revision: number(recorded.ok?.nextExpectedRevision ?? '') })
  // Positions differ from store to store, but where the recording repeats one, so must we.
  const commit = recorded.ok?.position.commit ?? ''
  const position = 'position' in answer ? answer.position : -1
  expect(position, `position of ${name}`).to.equal(positions.get(commit) ?? position)
  positions.set(commit, position)
}

describe('recordings 3a to 3r (skipped where ../shared is absent)', () => {
  const events = new MemoryEvents()
  itAnswersAsRecorded('the memory store', async () => new MemoryEventStore({ clock: systemClock, events }))

  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'recorded-'))
  })
  after(() => rmSync(folder, { recursive: true }))
  itAnswersAsRecorded('the SQLite store', () => openSqliteEventStore({ path: join(folder, 'events') }))
})
