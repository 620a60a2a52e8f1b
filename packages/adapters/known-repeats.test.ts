import { mkdtempSync, rmSync } from 'node:fs'
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
import { facts } from '#test/doubles/eventstoredb/replay/facts.ts'
import { MemoryEventStore, MemoryEvents } from './memory/event-store.ts'
import { openSqliteEventStore } from './sqlite/event-store.ts'
import { systemClock } from './system/clock.ts'

const [e1, e2, e3, other] = [grant(1), grant(2), grant(3), grant(4)] as const

/** The recorded calls to EventStoreDB, by the number of the fact. */
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

/** 3c, 3e2, 3h, 3k, 3s to 3u append with ANY or STREAM_EXISTS, which the port does not have; 3e, 3e3 and 3o only read. */
const order = ['3a', '3b', '3d', '3e', '3e3', '3f', '3g', '3i', '3j', '3l', '3m', '3n', '3o', '3p', '3q']

/**
 * A store's answer as the facts write it: `ok 1`, `ok 1 as before`, `wrong-expected-version (no_stream, is 4)`, `0 to
 * 3`.
 */
async function answerOf(store: EventStore, id: string, positions: Set<number>): Promise<string> {
  const call = calls[id]
  if (call === undefined) return `0 to ${(await store.read('credits-repeated')).length - 1}`
  const { expected, events, stream = 'credits-repeated' } = call
  try {
    const { revision, position } = await store.append(stream, expected, events)
    const before = positions.has(position)
    positions.add(position)
    return `ok ${revision}${before ? ' as before' : ''}`
  } catch (error) {
    if (!(error instanceof RevisionConflictError)) throw error
    return `wrong-expected-version (${expected === 'no-stream' ? 'no_stream' : expected}, is ${error.actual})`
  }
}

function itAnswersAsEventStoreDb(name: string, open: () => Promise<EventStore>): void {
  describe(name, () => {
    let store: EventStore
    const positions = new Set<number>()
    before(async () => {
      store = await open()
    })
    after(() => store[Symbol.asyncDispose]())

    for (const id of order) {
      const [asked, answer] = facts[id] ?? expect.fail(`no fact ${id}`)
      it(`${id} ${asked}: ${answer}`, async () => expect(await answerOf(store, id, positions)).to.equal(answer))
    }

    it('3r answers a repeat after a restart as the first time', async () => {
      await store[Symbol.asyncDispose]()
      store = await open()
      expect(await answerOf(store, '3a', positions)).to.equal(`${facts['3r']?.[1]} as before`)
    })
  })
}

describe('repeated appends, answered as EventStoreDB answers them, by', () => {
  const events = new MemoryEvents()
  itAnswersAsEventStoreDb('the memory store', async () => new MemoryEventStore({ clock: systemClock, events }))

  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'repeats-'))
  })
  after(() => rmSync(folder, { recursive: true }))
  itAnswersAsEventStoreDb('the SQLite store', () => openSqliteEventStore({ path: join(folder, 'events') }))
})
