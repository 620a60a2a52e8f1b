import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type EncodedEvent, EventCodec } from '#packages/events/format/codec.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { unavailable } from '#packages/ports/event-store-samples.contract.ts'
import { TurnCounter, whileParsing } from '#test/doubles/parse-watch.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { openWriter } from './event-file.fixture.ts'
import { openSqliteEventStore } from './event-store.ts'

const event = (): EncodedEvent => new EventCodec().encode('job-1', [unavailable('test')])[0] as EncodedEvent

describe('readers of the event file', () => {
  const at = fileOfEachTest('events.sqlite')
  let counter: TurnCounter
  beforeEach(() => {
    counter = new TurnCounter()
  })
  afterEach(() => counter[Symbol.dispose]())
  const written = (stream: string, events: ReturnType<typeof event>[]): void => {
    using file = openWriter(at.path)
    file.write([{ kind: 'append', appends: [{ stream, expected: 'no-stream', events }] }])
  }

  it('that follow it read each page in a separate turn of the event loop', async () => {
    written('job-1', Array.from({ length: 12 }, event))
    await using store = await openSqliteEventStore({ path: at.path, page: { events: 3, bytes: 1_000_000 } })
    const turns: number[] = []
    const follow = async (): Promise<void> => {
      const stop = new AbortController()
      for await (const batch of store.follow({ after: 0, prefixes: ['job-'], signal: stop.signal })) {
        turns.push(counter.turn)
        if (batch.caughtUp) stop.abort()
      }
    }
    await Promise.all([follow(), follow(), follow()])
    expect(turns).to.have.length(12)
    expect(new Set(turns).size).to.equal(turns.length)
  })

  const readers: Record<string, (store: EventStore, stream: string) => Promise<StoredEvent[]>> = {
    forwards: (store, stream) => store.read(stream),
    backwards: async (store, stream) => (await Array.fromAsync(store.readBackwards(stream))).reverse(),
  }
  for (const [way, read] of Object.entries(readers))
    it(`of large events ${way} decode each in a separate turn, even if many streams are read at once`, async () => {
      const data = gzipSync(JSON.stringify({ reason: 'x'.repeat(100_000) }))
      const streams = Array.from({ length: 6 }, (_, n) => `job-${n}`)
      for (const stream of streams) written(stream, [event(), { ...event(), data }, { ...event(), data }])
      await using store = await openSqliteEventStore({ path: at.path })
      const turns: number[] = []
      const note = (json: string): void => {
        if (json.length > 100_000) turns.push(counter.turn)
      }
      const all = await whileParsing(note, () => Promise.all(streams.map((stream) => read(store, stream))))
      for (const [index, events] of all.entries())
        expect(events.map(({ stream, revision }) => [stream, revision])).to.deep.equal(
          [0, 1, 2].map((revision) => [`job-${index}`, revision]),
        )
      expect(turns).to.have.length(12)
      expect(new Set(turns).size).to.equal(12)
    })
})
