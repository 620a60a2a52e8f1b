import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type Key, type KeyEvent, key } from '#packages/domain/key/key.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { FoldedStreams } from './folded-streams.ts'
import { handleCommand } from './handle-command.ts'
import { clockWithoutWaits, create, metadata, revoke, STREAM } from './key-commands.fixture.ts'

describe('folded streams', () => {
  const clock = clockWithoutWaits()
  let store: MemoryEventStore
  let folded: FoldedStreams<Key, KeyEvent>
  const handle = (command: typeof create) =>
    handleCommand({ store, clock, ids }, key, { stream: STREAM, command, metadata, giveUpAt: clock.now() + 1000 })

  beforeEach(() => {
    store = new MemoryEventStore({ clock })
    folded = new FoldedStreams(store, key, { maxSize: 10, sizeOf: () => 0 })
  })

  it('read only the new events of a stream that was read before', async () => {
    expect(await folded.read(STREAM)).to.equal(key.initialState)
    await handle(create)
    expect((await folded.read(STREAM)).status).to.equal('active')
    await handle(revoke)
    const asked: (number | undefined)[] = []
    const read = store.read.bind(store)
    store.read = (stream, span) => {
      asked.push(span?.from)
      return read(stream, span)
    }
    expect((await folded.read(STREAM)).status).to.equal('revoked')
    expect(asked).to.deep.equal([1])
  })

  it('return nothing from memory for a removed stream', async () => {
    await handle(create)
    expect((await folded.read(STREAM)).status).to.equal('active')
    await store.remove(STREAM)
    expect(await folded.read(STREAM)).to.equal(key.initialState)
  })
})
