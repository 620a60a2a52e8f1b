import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type KeyCommand, key } from '#packages/domain/key/key.ts'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { eventId } from '#packages/ports/ids.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { handleCommand } from './handle-command.ts'
import { clockWithoutWaits, create, data, loseAnswers, metadata, revoke, STREAM } from './key-commands.fixture.ts'

describe('handling a command', () => {
  let clock: ReturnType<typeof clockWithoutWaits>
  let store: MemoryEventStore
  const handle = (command: KeyCommand, giveUpAt = clock.now() + 1000) =>
    handleCommand({ store, clock, ids }, key, { stream: STREAM, command, metadata, giveUpAt })
  const stored = async () => (await store.read(STREAM)).map(({ type }) => type)

  beforeEach(() => {
    clock = clockWithoutWaits()
    store = new MemoryEventStore({ clock })
  })

  it('appends the decided events, with ids that follow from the decision', async () => {
    const handled = await handle(create)
    const [event] = await store.read(STREAM)
    expect(event).to.deep.include({ type: 'KeyCreated', data, metadata, id: eventId(STREAM, 'KeyCreated', data) })
    expect(handled).to.deep.equal({
      state: { status: 'none' },
      events: [{ type: 'KeyCreated', data }],
      position: event?.position,
    })
  })

  it('appends nothing if nothing is decided, and returns the state it was decided on', async () => {
    const { position } = await handle(create)
    store.append = () => Promise.reject(new Error('nothing is to be appended'))
    const again = await handle(create)
    expect(again).to.deep.include({ events: [], position })
    expect(again.state).to.include({ status: 'active', name: 'laptop' })
  })

  it('decides again on the newer state if another writer was first', async () => {
    await handle(create)
    const append = store.append.bind(store)
    let rival = 0
    store.append = async (...call) => {
      if (rival++ === 0)
        await append(STREAM, 0, [{ type: 'KeyRevoked', data: { orgId: 'acme' }, id: ids.uuid(), metadata }])
      return append(...call)
    }
    const { state, events } = await handle(revoke)
    expect(events, 'it is revoked already').to.deep.equal([])
    expect(state.status).to.equal('revoked')
    expect(await stored()).to.deep.equal(['KeyCreated', 'KeyRevoked'])
  })

  it('repeats an append if its answer was lost, and stores it once', async () => {
    loseAnswers(store, 2)
    const { events } = await handle(create)
    expect(events).to.have.length(1)
    expect(await stored()).to.deep.equal(['KeyCreated'])
  })

  it('gives up with the error of a store that does not answer in time', async () => {
    store.append = () => Promise.reject(new Error('the disk is full'))
    const error = await handle(create, 500).catch((thrown: Error) => thrown.message)
    expect(error).to.equal('the disk is full')
    expect(clock.now()).to.be.within(500, 1500)
  })

  it('gives up if another writer is first again and again', async () => {
    store.append = async () => {
      clock.pass(100)
      throw new RevisionConflictError(STREAM, 'no-stream', 0)
    }
    const error = await handle(create, 500).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RevisionConflictError)
    expect(clock.now()).to.equal(500)
  })
})
