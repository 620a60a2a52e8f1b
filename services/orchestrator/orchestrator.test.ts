import { expect } from 'chai'
import { purpose, settle as settleDebit } from '#packages/domain/credits/credits.fixture.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { completed, failed, type Life, started, World } from './orchestrator.harness.ts'
import { loadProgress } from './progress.ts'

describe('the orchestrator', () => {
  let world: World
  let life: Life

  beforeEach(async () => {
    world = new World()
    await world.organization('acme')
  })
  afterEach(() => world[Symbol.asyncDispose]())
  /** An orchestrator at work on these jobs. */
  const work = async (jobIds: string[], options = {}) => {
    life = world.live(options)
    for (const jobId of jobIds) await world.job('acme', jobId)
  }

  it('issues the first step of a job, and the next one after each result', async () => {
    await work(['j1'])
    const [first] = await life.tasks('fetch')
    expect(first?.task).to.include({ jobId: 'j1', step: 'fetch', attempt: 1, revision: 0, lane: 'standard' })
    await world.append('acme', 'j1', 0, started('fetch'), results.fetched)
    const [second] = await life.tasks('speech-to-text')
    expect(second?.task).to.include({ step: 'speech-to-text', attempt: 1, revision: 2 })
  })

  it('settles a completed job at its cost, and a failed one at nothing', async () => {
    await work(['j1', 'j2'])
    await world.append('acme', 'j1', 0, completed)
    await world.append('acme', 'j2', 0, failed('no_speech'))
    await settle()
    expect(await world.settlementsOf('acme')).to.have.deep.members([
      { jobId: 'j1', charged: 5, refunded: 0, reason: 'completed', ...purpose },
      { jobId: 'j2', charged: 0, refunded: 5, reason: 'no_speech', ...purpose },
    ])
    expect((await world.ledgers.current('acme')).balance).to.equal(45)
  })

  it('ends a job at its deadline while a worker holds it, and refunds it', async () => {
    life = world.live()
    await world.job('acme', 'j1', { windowSeconds: 20 })
    await world.append('acme', 'j1', 0, started('fetch'))
    await world.clock.advance(19_900)
    expect(await world.typesOf('j1')).to.not.include('JobFailed')
    await world.clock.advance(200)
    const events = await world.store.read(streams.job('j1'))
    expect(events.at(-1)).to.deep.include({ type: 'JobFailed' })
    expect((events.at(-1) as StoredEvent & DomainEvent<'JobFailed'>).data.code).to.equal('timeout')
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })

  it('publishes an unclaimed task again, unchanged, after 5 and then 10 seconds', async () => {
    await work(['j1'])
    const [first] = await life.tasks('fetch')
    await world.clock.advance(4900)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    const [again] = await life.tasks('fetch')
    expect(again?.task).to.deep.equal(first?.task)
    await world.clock.advance(9800)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    expect(await life.tasks('fetch')).to.have.length(1)
  })

  it('publishes a task again a second after the queue refused it, and waits 5 seconds from then', async () => {
    life = world.live()
    const { queue } = life
    const publish = queue.publish.bind(queue)
    let refusals = 1
    queue.publish = async (task) => {
      if (refusals-- > 0) throw new Error('the queue is away')
      await publish(task)
    }
    await world.job('acme', 'j1')
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(1000)
    expect(await life.tasks('fetch')).to.have.length(1)
    await world.clock.advance(4900)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    expect(await life.tasks('fetch')).to.have.length(1)
  })

  it('issues a step again when its lease is over, and gives the job up after the third time', async () => {
    await work(['j1'])
    for (const attempt of [1, 2, 3]) {
      const [delivery] = await life.tasks('fetch')
      expect(delivery?.task).to.include({ attempt, revision: attempt - 1 })
      await world.append('acme', 'j1', attempt - 1, started('fetch', attempt))
      await world.clock.advance(30_001)
    }
    const events = await world.store.read(streams.job('j1'))
    expect(events.at(-1)?.data).to.include({ code: 'internal_error' })
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })

  it('refunds a cancelled job at once and once, publishes no more tasks for it, and frees its place', async () => {
    await work(['j1', 'j2'], { outstanding: 1 })
    expect(await life.tasks('fetch')).to.have.length(1)
    await world.append('acme', 'j1', 0, failed('cancelled'))
    const [next] = await life.tasks('fetch')
    expect(next?.task).to.include({ jobId: 'j2' })
    await world.append('acme', 'j2', 0, started('fetch'))
    await world.clock.advance(20_000)
    expect(await life.tasks('fetch')).to.have.length(0)
    expect(await world.settlementsOf('acme')).to.deep.equal([
      { jobId: 'j1', charged: 0, refunded: 5, reason: 'cancelled', ...purpose },
    ])
  })

  it('frees the place of a job that another owner settled, even if its end was not seen here', async () => {
    await work(['j1', 'j2'], { outstanding: 1 })
    expect(await life.tasks('fetch')).to.have.length(1)
    const command = settleDebit('j1', 5)
    await world.ledgers.execute('acme', { command, metadata: world.metadata('acme', 'j1') })
    const [next] = await life.tasks('fetch')
    expect(next?.task).to.include({ jobId: 'j2' })
  })

  it('waits for the delay of a retry', async () => {
    await work(['j1'])
    const failed = { step: 'fetch', attempt: 1, code: 'upstream_error', retryAfterSeconds: 3, used: null } as const
    await world.append('acme', 'j1', 0, started('fetch'), { type: 'StepFailed', data: failed })
    await life.tasks('fetch')
    await world.clock.advance(2900)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    const [again] = await life.tasks('fetch')
    expect(again?.task).to.include({ attempt: 2, revision: 2 })
  })

  it('refunds a debit that has had no job for 15 seconds, so that the request can be repeated', async () => {
    life = world.live()
    await world.debit('acme', 'j1')
    await world.clock.advance(14_900)
    expect(await world.typesOf('j1')).to.deep.equal([])
    await world.clock.advance(200)
    expect(await world.typesOf('j1')).to.deep.equal(['JobFailed'])
    expect(await world.settlementsOf('acme')).to.deep.equal([
      { jobId: 'j1', charged: 0, refunded: 5, reason: 'not_accepted', ...purpose },
    ])
  })

  it('lets organizations take turns: a flood of one does not delay another', async () => {
    await world.organization('calm')
    life = world.live({ outstanding: 2 })
    for (let n = 0; n < 8; n += 1) await world.job('acme', `flood-${n}`)
    await settle()
    await world.job('calm', 'quiet')
    const first = await life.tasks('fetch')
    expect(first.map(({ task }) => task.jobId)).to.deep.equal(['flood-0', 'flood-1'])
    await world.append('acme', 'flood-0', 0, started('fetch'))
    await world.append('acme', 'flood-1', 0, started('fetch'))
    const next = await life.tasks('fetch')
    expect(next.map(({ task }) => task.jobId)).to.include('quiet')
  })

  it('leaves slots to others while one organization’s share is full', async () => {
    await world.organization('calm')
    life = world.live({ perOrganization: 2 })
    for (let n = 0; n < 4; n += 1) await world.job('acme', `slow-${n}`)
    expect((await life.tasks('fetch')).map(({ task }) => task.jobId)).to.deep.equal(['slow-0', 'slow-1'])
    for (const n of [0, 1]) await world.append('acme', `slow-${n}`, 0, started('fetch'))
    await world.job('calm', 'quiet')
    expect((await life.tasks('fetch')).map(({ task }) => task.jobId)).to.deep.equal(['quiet'])
    await world.append('acme', 'slow-0', 1, results.fetched)
    expect((await life.tasks('fetch')).map(({ task }) => task.jobId)).to.deep.equal(['slow-2'])
  })

  it('notes for the ingress which organizations wait, and since when', async () => {
    await world.organization('calm')
    await work(['j1', 'j2'], { outstanding: 1 })
    await world.clock.advance(61_500)
    await world.job('calm', 'j3')
    await world.clock.advance(1500)
    const notes = await world.views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])
    const note = notes.get(ORCHESTRATOR_NOTE)
    const lane = note?.lanes.standard
    expect(lane?.waiting.map(({ orgId }) => orgId)).to.include('acme')
    expect(world.clock.now() - (note?.writtenAt ?? 0)).to.be.at.most(4000)
    expect(world.clock.now() - (lane?.oldestTurn ?? 0)).to.be.greaterThan(60_000)
  })

  it('notes for the ingress until when jobs wait for the pace of a platform, and no longer', async () => {
    const paceWaits = async () => {
      await world.clock.advance(4000)
      return (await world.views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])).get(ORCHESTRATOR_NOTE)?.paceWaits
    }
    const released = (retryAfterSeconds: number): DomainEvent => ({
      type: 'StepFailed',
      data: { step: 'fetch', attempt: 1, code: 'released', retryAfterSeconds, used: null },
    })
    life = world.live()
    const url = 'https://x.com/a/status/1'
    for (const [jobId, seconds] of Object.entries({ near: 30, far: 100, stopped: 0 })) {
      await world.job('acme', jobId, { url })
      await world.append('acme', jobId, 0, started('fetch'), released(seconds))
    }
    const until = world.clock.now() + 100_000
    expect(await paceWaits()).to.deep.equal([{ platform: 'x', orgId: 'acme', until }])
    await life.crash()
    life = world.live()
    expect(await paceWaits(), 'known to the next owner').to.deep.equal([{ platform: 'x', orgId: 'acme', until }])
    await world.append('acme', 'far', 2, failed('cancelled'))
    expect(await paceWaits()).to.deep.equal([{ platform: 'x', orgId: 'acme', until: until - 70_000 }])
    await world.clock.advance(30_000)
    expect(await paceWaits()).to.deep.equal([])
  })

  it('continues every open job after a crash, and releases the claims of the dead process', async () => {
    await work(['j1', 'j2'])
    await life.tasks('fetch')
    await world.append('acme', 'j1', 0, started('fetch'))
    await world.clock.advance(2000)
    await life.crash()
    life = world.live()
    await life.orchestrator.ready
    const tasks = (await life.tasks('fetch')).map(({ task }) => task)
    expect(tasks.map(({ jobId, attempt, revision }) => ({ jobId, attempt, revision }))).to.have.deep.members([
      { jobId: 'j1', attempt: 2, revision: 2 },
      { jobId: 'j2', attempt: 1, revision: 0 },
    ])
  })

  it('keeps its checkpoint before the oldest open job, and moves it on when that job is settled', async () => {
    await work(['j1', 'j2'])
    const [debit] = (await world.store.read(streams.credits('acme'))).filter(({ type }) => type === 'CreditsDebited')
    await world.clock.advance(1100)
    expect((await loadProgress(world.views)).checkpoint).to.equal((debit?.position ?? 0) - 1)
    await world.append('acme', 'j1', 0, completed)
    await world.append('acme', 'j2', 0, completed)
    await world.clock.advance(3100)
    expect((await loadProgress(world.views)).checkpoint).to.equal(world.events.feed.length)
  })

  it('refunds the debit of a job with a removed history', async () => {
    life = world.live()
    await world.job('acme', 'j1', { windowSeconds: 5 })
    await settle()
    await world.store.remove(streams.job('j1'))
    await world.clock.advance(10_000)
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
    expect(world.telemetry.named('job').map(({ error }) => error)).to.deep.equal(['internal_error'])
  })

  it('drops a job that was removed with its ledger before its end was read', async () => {
    life = world.live()
    await world.job('acme', 'j1', { windowSeconds: 5 })
    await settle()
    for (const stream of [streams.job('j1'), streams.credits('acme')]) await world.store.remove(stream)
    await world.organization('other')
    await world.clock.advance(10_000)
    const [registered] = await world.store.read(streams.credits('other'))
    expect((await loadProgress(world.views)).checkpoint, 'nothing holds it back').to.be.at.least(
      registered?.position ?? Number.NaN,
    )
  })
})
