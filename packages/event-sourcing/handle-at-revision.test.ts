import { expect } from 'chai'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type Key, type KeyCommand, key } from '#packages/domain/key/key.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type ExpectedRevision, RevisionConflictError } from '#packages/ports/event-store.ts'
import { handleAtRevision } from './handle-at-revision.ts'
import { toAppend } from './handle-command.ts'

const STREAM = 'key-1'
const data = { orgId: 'acme', name: 'laptop', sha256: 'a'.repeat(64), prefix: 'ma_abcd', suffix: 'wxyz' }
const create: KeyCommand = { type: 'create', key: data }
const metadata = {
  orgId: 'acme',
  correlationId: 'test',
  causationId: 'test',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
}

describe('handling a command at a known revision', () => {
  let store: MemoryEventStore
  let time: number
  let clock: Clock
  const handle = (command: KeyCommand, state: Key, revision: ExpectedRevision) =>
    handleAtRevision({ store, clock, ids }, key, {
      stream: STREAM,
      command,
      state,
      revision,
      toAppend: (events) => toAppend(STREAM, events, metadata),
      giveUpAt: 1000,
    })

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

  it('appends what is decided right there, and says where the stream ends now', async () => {
    expect(await handle(create, key.initialState, 'no-stream')).to.deep.equal({
      events: [{ type: 'KeyCreated', data }],
      revision: 0,
    })
    expect(await store.read(STREAM)).to.have.length(1)
  })

  it('appends nothing where nothing is decided: the stream ends where it did', async () => {
    const revoke: KeyCommand = { type: 'revoke', orgId: 'acme' }
    expect(await handle(revoke, key.initialState, 7)).to.deep.equal({ events: [], revision: 7 })
  })

  it('does not decide again where somebody else was first', async () => {
    await store.append(STREAM, 'no-stream', [{ type: 'KeyRevoked', data: { orgId: 'acme' }, id: ids.uuid(), metadata }])
    const error = await handle(create, key.initialState, 'no-stream').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RevisionConflictError)
    expect(await store.read(STREAM)).to.have.length(1)
  })

  it('repeats an append whose answer was lost, and stores it once', async () => {
    const append = store.append.bind(store)
    let lost = 0
    store.append = async (...call) => {
      const answer = await append(...call)
      if (lost++ < 2) throw new Error('the connection is lost')
      return answer
    }
    expect(await handle(create, key.initialState, 'no-stream')).to.include({ revision: 0 })
    expect(await store.read(STREAM)).to.have.length(1)
  })
})
