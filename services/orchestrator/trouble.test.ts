import { expect } from 'chai'
import { ORCHESTRATOR_NOTE as note } from '#packages/events/views/orchestrator-note.ts'
import { streams } from '#packages/ports/ids.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import type { ScriptedStore } from '#test/doubles/scripted-store.ts'
import { failed, type Line, started, World } from './orchestrator.harness.ts'
import { loadProgress } from './progress.ts'

/** Refuses every append. */
const unavailable: ScriptedStore['fault'] = () => Promise.reject(new Error('the store does not answer'))

/** Holds every append back until the promise is resolved. */
const heldUpUntil =
  (resolved: Promise<void>): ScriptedStore['fault'] =>
  async (_stream, _events, proceed) => {
    await resolved
    return proceed()
  }

/** The feed with one event in each batch. The reader waits for the promise after each. */
const oneByOne = (resolved: Promise<void>): ScriptedStore['feed'] =>
  async function* (batches) {
    for await (const batch of batches) {
      for (const event of batch.events) {
        yield { ...batch, events: [event], position: event.position, caughtUp: false }
        await resolved
      }
      yield { ...batch, events: [] }
    }
  }

const WARN = 40

describe('the orchestrator in trouble', () => {
  let world: World
  const job = (jobId: string, windowSeconds = 180) => world.job('acme', jobId, { windowSeconds })
  const alarms = (name: string): Line[] => world.lines.filter(({ alarm }) => alarm === name)
  const warnings = (): Line[] => world.lines.filter(({ level }) => level >= WARN)

  beforeEach(async () => {
    world = new World()
    await world.organization('acme')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('warns of nothing while all is well, and logs each decision with its job and its trace', async () => {
    world.live()
    await job('j1', 60)
    await settle()
    await world.append('acme', 'j1', 0, started('fetch'))
    await world.clock.advance(61_000)
    expect(await world.typesOf('j1')).to.include('JobFailed')
    expect(warnings()).to.deep.equal([])
    const told = world.lines.filter(({ events }) => events !== undefined)
    expect(told).to.have.length(1)
    expect(told[0]).to.deep.include({ jobId: 'j1', traceId: '1'.repeat(32), events: ['JobFailed'] })
  })

  it('raises an alarm for a recorded time more than a second ahead of its clock, and for no other', async () => {
    world.live()
    const ahead = (ms: number) =>
      new MemoryEventStore({ clock: new ManualClock(world.clock.now() + ms), events: world.events })
    world.outside = ahead(1000)
    await world.debit('acme', 'j1')
    await settle()
    expect(alarms('clock_skew')).to.deep.equal([])
    world.outside = ahead(1001)
    await world.debit('acme', 'j2')
    await settle()
    expect(alarms('clock_skew').map(({ aheadMs }) => aheadMs)).to.deep.equal([1001])
  })

  it('raises one alarm for a job that is open a minute past its deadline, requested or not', async () => {
    world.live()
    await job('requested', 60)
    await world.debit('acme', 'never requested')
    await settle()
    world.store.fault = unavailable
    const stuck = (): (string | undefined)[] => alarms('job_stuck').map(({ jobId }) => jobId)
    await world.clock.advance(119_500)
    expect(stuck()).to.deep.equal([])
    await world.clock.advance(1500)
    expect(stuck()).to.deep.equal(['requested'])
    await world.clock.advance(118_500)
    expect(stuck()).to.deep.equal(['requested'])
    await world.clock.advance(3000)
    expect(stuck()).to.deep.equal(['requested', 'never requested'])
  })

  it('waits for views that do not answer when it starts, and then works', async () => {
    world.views.isAway = true
    const life = world.live()
    await job('j1')
    await world.clock.advance(3000)
    expect(life.queue.published).to.deep.equal([])
    expect(warnings()).to.have.length.above(1)
    world.views.isAway = false
    await world.clock.advance(1000)
    expect(life.queue.published.map(({ jobId }) => jobId)).to.deep.equal(['j1'])
  })

  it('repeats a failed append every second, with a warning', async () => {
    world.live()
    await world.debit('acme', 'j1')
    world.store.fault = unavailable
    await world.clock.advance(17_500)
    expect(world.store.appends).to.have.length(3)
    expect(warnings().map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j1', 'j1'])
    world.store.fault = undefined
    await world.clock.advance(1000)
    expect(await world.typesOf('j1')).to.deep.equal(['JobFailed'])
  })

  it('does not warn when another orchestrator appends first', async () => {
    world.live({ releaseClaimsAtStart: false })
    await job('j1', 5)
    await settle()
    const slow = Promise.withResolvers<void>()
    world.store.fault = heldUpUntil(slow.promise)
    await world.clock.advance(5000)
    await world.append('acme', 'j1', 0, failed('timeout'))
    slow.resolve()
    await world.clock.advance(3000)
    expect(await world.typesOf('j1')).to.deep.equal(['JobRequested', 'JobFailed'])
    expect((await world.outside.read(streams.credits('acme'))).at(-1)?.type).to.equal('CreditsSettled')
    expect(warnings()).to.deep.equal([])
  })

  it('has one append in progress per job, and ends only after it', async () => {
    const life = world.live()
    await job('j1', 20)
    await settle()
    const slow = Promise.withResolvers<void>()
    world.store.fault = heldUpUntil(slow.promise)
    await world.clock.advance(20_000)
    expect(world.store.appends).to.have.length(1)
    await world.append('acme', 'j1', 0, started('fetch'))
    await world.clock.advance(5000)
    expect(world.store.appends, 'appends after an event that comes meanwhile').to.have.length(1)
    let closed = false
    const closing = life.crash().then(() => {
      closed = true
    })
    await settle()
    expect(closed, 'closed').to.equal(false)
    slow.resolve()
    await closing
  })

  it('issues nothing, and writes no note, before it has read the feed to its end', async () => {
    await job('ended')
    await job('open')
    await world.append('acme', 'ended', 0, failed('no_speech'))
    const reading = Promise.withResolvers<void>()
    world.store.feed = oneByOne(reading.promise)
    const life = world.live()
    await world.clock.advance(3000)
    expect((await world.views.getNotes([note])).size).to.equal(0)
    reading.resolve()
    await world.clock.advance(1000)
    expect(life.queue.published.map(({ jobId }) => jobId)).to.deep.equal(['open'])
    expect((await world.views.getNotes([note])).size).to.equal(1)
  })

  it('does not issue a step with a turn too late before the deadline', async () => {
    const life = world.live({ outstanding: 1 })
    await job('first')
    await job('second', 20)
    await world.clock.advance(19_900)
    const before = life.queue.published.length
    await world.append('acme', 'first', 0, started('fetch'))
    await settle()
    expect(life.queue.published.slice(before)).to.deep.equal([])
    await world.clock.advance(100)
    expect(await world.typesOf('second')).to.deep.equal(['JobRequested', 'JobFailed'])
  })

  it('warns while the views cannot be written, and writes the note when they can be again', async () => {
    world.live()
    world.views.isAway = true
    await world.clock.advance(2500)
    expect(warnings()).to.have.length(2)
    world.views.isAway = false
    await world.clock.advance(1000)
    expect((await world.views.getNotes([note])).size).to.equal(1)
  })

  it('writes its checkpoint again if the views have lost it, even if no event comes', async () => {
    world.live()
    await world.debit('acme', 'j1')
    await world.clock.advance(5000)
    const before = await loadProgress(world.views)
    expect(before.checkpoint).to.be.greaterThan(0)
    await world.views.putNote(note, { checkpoint: 0, noted: [] })
    expect((await loadProgress(world.views)).checkpoint).to.equal(0)
    await world.clock.advance(4000)
    expect(await loadProgress(world.views)).to.deep.equal(before)
  })

  it('ends jobs long past their deadline after a restart, even if the first write of their note failed', async () => {
    const life = world.live()
    await world.debit('acme', 'j1')
    await settle()
    world.store.fault = unavailable
    world.views.isAway = true
    await world.clock.advance(240_000)
    world.views.isAway = false
    await world.clock.advance(10_000)
    expect((await loadProgress(world.views)).checkpoint, 'the stuck job holds nothing back').to.equal(
      world.events.feed.length,
    )
    await life.crash()
    world.store.fault = undefined
    world.live()
    await world.clock.advance(2000)
    expect(await world.typesOf('j1')).to.deep.equal(['JobFailed'])
    expect((await world.ledgers.current('acme')).openDebits.size).to.equal(0)
  })

  it('reads the feed from its start if the views have lost the note', async () => {
    expect(await loadProgress(world.views)).to.deep.include({ checkpoint: 0, noted: [] })
  })
})
