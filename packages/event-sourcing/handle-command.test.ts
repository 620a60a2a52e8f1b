import { expect } from 'chai'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type KeyCommand, key } from '#packages/domain/key/key.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { eventId } from '#packages/ports/ids.ts'
import { handleCommand } from './handle-command.ts'

const STREAM = 'key-1'
const data = { orgId: 'acme', name: 'laptop', sha256: 'a'.repeat(64), prefix: 'ma_abcd', suffix: 'wxyz' }
const create: KeyCommand = { type: 'create', key: data }
const revoke: KeyCommand = { type: 'revoke', orgId: 'acme' }
const metadata = {
  orgId: 'acme',
  correlationId: 'test',
  causationId: 'test',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
}

describe('handling a command', () => {
  let time: number
  let clock: Clock
  let store: MemoryEventStore
  const handle = (command: KeyCommand, giveUpAt = time + 1000) =>
    handleCommand({ store, clock, ids }, key, { stream: STREAM, command, metadata, giveUpAt })
  const stored = async () => (await store.read(STREAM)).map(({ type }) => type)

  beforeEach(() => {
    time = 0
    clock = {
      now: () => time,
      async sleep(ms) {
        time += ms
      },
    }
    store = new MemoryEventStore({ clock })
  })

  it('appends what is decided, with ids that follow from the decision', async () => {
    const handled = await handle(create)
    const [event] = await store.read(STREAM)
    expect(event).to.deep.include({ type: 'KeyCreated', data, metadata, id: eventId(STREAM, 'KeyCreated', data) })
    expect(handled).to.deep.equal({
      state: { status: 'none' },
      events: [{ type: 'KeyCreated', data }],
      position: event?.position,
    })
  })

  it('appends nothing where nothing is decided, and says on which state', async () => {
    const { position } = await handle(create)
    store.append = () => Promise.reject(new Error('nothing is to be appended'))
    const again = await handle(create)
    expect(again).to.deep.include({ events: [], position })
    expect(again.state).to.include({ status: 'active', name: 'laptop' })
  })

  it('decides again on the newer state where somebody else was first', async () => {
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

  it('repeats an append whose answer was lost, and stores it once', async () => {
    const append = store.append.bind(store)
    let lost = 0
    store.append = async (...call) => {
      const answer = await append(...call)
      if (lost++ < 2) throw new Error('the connection is lost')
      return answer
    }
    const { events } = await handle(create)
    expect(events).to.have.length(1)
    expect(await stored()).to.deep.equal(['KeyCreated'])
  })

  it('gives up with the error of a store that does not answer in time', async () => {
    store.append = () => Promise.reject(new Error('the disk is full'))
    const error = await handle(create, 500).catch((thrown: Error) => thrown.message)
    expect(error).to.equal('the disk is full')
    expect(time).to.be.within(500, 1500)
  })

  it('gives up where somebody else is first again and again', async () => {
    store.append = async () => {
      time += 100
      throw new RevisionConflictError(STREAM, 'no-stream', 0)
    }
    const error = await handle(create, 500).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RevisionConflictError)
    expect(time).to.equal(500)
  })
})
