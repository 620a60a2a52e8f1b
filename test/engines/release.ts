/**
 * A process of a made-up release, for releases.test.ts: `release.ts STORE VERSIONS FORMAT`. It knows so many versions of
 * the made-up event and writes those of the format. STORE is an event file or the URL of a server. It appends what its
 * parent sends to the stream, and answers with the data of all events, or with the sentence of an error.
 */
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { EventCodec } from '#packages/events/format/codec.ts'
import { knowing, made } from '#packages/events/format/made-up-event.fixture.ts'

const [place = '', versions, format] = process.argv.slice(2)
const codec = new EventCodec({ catalog: knowing(Number(versions)), format: Number(format) })
await using store = place.startsWith('esdb:')
  ? openEventStoreDb(place, { codec })
  : await openSqliteEventStore({ path: place, codec })
const { promise: ended, resolve: end } = Promise.withResolvers<void>()

async function answer({ stream, append }: { stream: string; append: object[] }): Promise<object> {
  try {
    const { length } = await store.read(stream)
    if (append.length > 0) await store.append(stream, length === 0 ? 'no-stream' : length - 1, append.map(made))
    return { data: (await store.read(stream)).map(({ data }) => data) }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

process.on('message', (asked: { stream: string; append: object[] }) => {
  void answer(asked).then((told) => process.send?.(told))
})
process.once('disconnect', end)
process.send?.({ ready: true })
await ended
