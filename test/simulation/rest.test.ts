import { expect } from 'chai'
import { emptyState } from '#packages/adapters/views-state.ts'
import type { Process } from './processes.ts'
import { Rest } from './rest.ts'
import { Life } from './time/life.ts'
import { World } from './world.ts'

describe('the rest of a run', () => {
  it('is not reached while a process is cut off, which may have to rebuild lost views', async () => {
    const world = new World(1, { keepsTrace: false, mutation: {} })
    const { scheduler, record, documents } = world
    documents.makeNew({ ...emptyState(world.events.id, 1), isReadable: true })
    const life = new Life('projections-1.1', scheduler, 0)
    const processes = [{ name: 'projections-1', life }] as unknown as Process[]
    const rest = new Rest(world, processes, [{ idle: true }])
    record.cutOff('projections-1.1', ['append', 'views'], 5000)
    const startedAt = scheduler.now
    await scheduler.run(() => rest.reached, startedAt + 4999)
    expect(rest.missing).to.deep.equal(['projections-1 is cut off'])
    await scheduler.run(() => rest.reached, startedAt + 6000)
    expect(rest.missing).to.deep.equal([])
    expect(rest.reached).to.equal(true)
  })
})
