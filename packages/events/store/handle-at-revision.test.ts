import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type Key, type KeyCommand, key } from '#packages/domain/key/key.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type ExpectedRevision, RevisionConflictError } from '#packages/ports/event-store.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { handleAtRevision } from './handle-at-revision.ts'
import { clockWithoutWaits, create, data, loseAnswers, metadata, revoke, STREAM } from './key-commands.fixture.ts'
import { toAppend } from './to-append.ts'

describe('handling a command at a known revision', () => {
  let store: MemoryEventStore
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
    clock = clockWithoutWaits()
    store = new MemoryEventStore({ clock })
  })

  it('appends the decided events at that revision, and returns the new one', async () => {
    expect(await handle(create, key.initialState, 'no-stream')).to.deep.equal({
      events: [{ type: 'KeyCreated', data }],
      revision: 0,
    })
    expect(await store.read(STREAM)).to.have.length(1)
  })

  it('appends nothing if nothing is decided, and returns the same revision', async () => {
    expect(await handle(revoke, key.initialState, 7)).to.deep.equal({ events: [], revision: 7 })
  })

  it('does not decide again if another writer was first', async () => {
    await store.append(STREAM, 'no-stream', [{ type: 'KeyRevoked', data: { orgId: 'acme' }, id: ids.uuid(), metadata }])
    const error = await handle(create, key.initialState, 'no-stream').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RevisionConflictError)
    expect(await store.read(STREAM)).to.have.length(1)
  })

  it('repeats an append if its answer was lost, and stores it once', async () => {
    loseAnswers(store, 2)
    expect(await handle(create, key.initialState, 'no-stream')).to.include({ revision: 0 })
    expect(await store.read(STREAM)).to.have.length(1)
  })
})
