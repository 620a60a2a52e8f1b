import { expect } from 'chai'
import { lanes, steps } from '#packages/domain/job/events.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { type Gauge, metrics } from '#packages/telemetry/metrics.ts'
import { jobSpanOf, newTraceparent } from '#packages/telemetry/traceparent.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { completed, failed, started, traceparent, World } from './orchestrator.harness.ts'

describe('the telemetry of jobs', () => {
  let world: World
  const gauge = ({ name }: Gauge) => [...(world.telemetry.gauges.get(name)?.() ?? [])]
  const only = (metric: Gauge) => gauge(metric)[0]?.value
  const roots = () => world.telemetry.named('job')

  beforeEach(async () => {
    world = new World()
    await world.organization('acme')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  describe('a job that ended', () => {
    let life: ReturnType<World['live']>
    beforeEach(() => {
      life = world.live()
    })

    it('is a root span, from the recorded request to the recorded end, and counted', async () => {
      await world.debit('acme', 'j1')
      await world.clock.advance(1000)
      const requestedAt = world.clock.now()
      await world.request('acme', 'j1', { url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' })
      await world.clock.advance(4000)
      await world.append('acme', 'j1', 0, completed)
      await settle()
      const attributes = {
        'video.job.kind': 'transcript',
        'video.job.mode': 'generate',
        'video.platform': 'youtube',
        'video.outcome': 'completed',
      }
      expect(roots()).to.deep.equal([
        {
          name: 'job',
          traceparent: jobSpanOf('j1', traceparent),
          parentId: undefined,
          startedAt: requestedAt,
          endedAt: requestedAt + 4000,
          error: undefined,
          attributes: { 'video.job.id': 'j1', 'video.org.id': 'acme', ...attributes },
        },
      ])
      expect(world.telemetry.valuesOf(metrics.jobsFinished)).to.deep.equal([{ value: 1, attributes }])
      expect(world.lines.filter(({ msg }) => msg === 'job')).to.have.length(1)
      expect(world.lines.find(({ msg }) => msg === 'job')).to.include({
        jobId: 'j1',
        orgId: 'acme',
        kind: 'transcript',
        mode: 'generate',
        platform: 'youtube',
        outcome: 'completed',
        charged: 5,
        ms: 4000,
        traceId: '1'.repeat(32),
      })
      const { 'video.platform': _, ...ofDuration } = attributes
      expect(world.telemetry.valuesOf(metrics.jobDuration)).to.deep.equal([{ value: 4, attributes: ofDuration }])
      expect(world.telemetry.valuesOf(metrics.deadlinesMissed)).to.deep.equal([])
      const moved = world.telemetry.valuesOf(metrics.creditsMoved)
      expect(moved.map(({ value, attributes: of }) => [of['video.credits.operation'], value])).to.deep.equal([
        ['charged', 5],
        ['refunded', 0],
      ])
    })

    it('has an error status with the code, and is refunded', async () => {
      await world.job('acme', 'j1', { url: 'https://cdn.example.com/a/b.mp4' })
      await world.append('acme', 'j1', 0, failed('no_speech'))
      await settle()
      expect(roots()[0]).to.include({ error: 'no_speech' })
      expect(roots()[0]?.attributes).to.include({ 'video.outcome': 'no_speech', 'video.platform': 'direct' })
      const moved = world.telemetry.valuesOf(metrics.creditsMoved)
      expect(moved.map(({ value }) => value)).to.deep.equal([0, 5])
    })

    it('missed its deadline', async () => {
      await world.job('acme', 'j1', { windowSeconds: 20 })
      await world.append('acme', 'j1', 0, started('fetch'))
      await world.clock.advance(20_100)
      expect(roots()[0]).to.include({ error: 'timeout' })
      const attributes = { 'video.job.kind': 'transcript' }
      expect(world.telemetry.valuesOf(metrics.deadlinesMissed)).to.deep.equal([{ value: 1, attributes }])
      // The job's worker could still have ended it: the lease had not run out.
      expect(world.telemetry.valuesOf(metrics.leasesExpired)).to.deep.equal([])
    })

    it('was cancelled, which is not an error', async () => {
      await world.job('acme', 'j1')
      await world.append('acme', 'j1', 0, failed('cancelled'))
      await settle()
      expect(roots()[0]?.error).to.equal(undefined)
      expect(roots()[0]?.attributes).to.include({ 'video.outcome': 'cancelled' })
    })

    it('lost its last lease', async () => {
      await world.job('acme', 'j1')
      for (const attempt of [1, 2, 3]) {
        await world.append('acme', 'j1', attempt - 1, started('fetch', attempt))
        await world.clock.advance(30_001)
      }
      expect(roots()[0]).to.include({ error: 'internal_error' })
      // Each worker that claims again counts the lease before it, so only the last one is counted here.
      const attributes = { 'video.step': 'fetch' }
      expect(world.telemetry.valuesOf(metrics.leasesExpired)).to.deep.equal([{ value: 1, attributes }])
    })

    it('was never accepted: it begins with its debit', async () => {
      const debitedAt = world.clock.now()
      await world.debit('acme', 'j1')
      await world.clock.advance(15_100)
      const [root] = roots()
      expect(root).to.include({ startedAt: debitedAt, error: 'not_accepted' })
      expect(root?.attributes).to.include({ 'video.job.mode': undefined, 'video.platform': undefined })
      expect(world.telemetry.valuesOf(metrics.jobDuration)).to.deep.equal([])
      expect(world.telemetry.valuesOf(metrics.jobsFinished)).to.have.length(1)
    })

    it('is reported once by two orchestrators', async () => {
      world.live({ releaseClaimsAtStart: false })
      await world.job('acme', 'j1', { windowSeconds: 5 })
      await world.debit('acme', 'j2')
      await world.clock.advance(20_000)
      expect(roots()).to.have.length(2)
      expect(world.telemetry.valuesOf(metrics.jobsFinished)).to.have.length(2)
    })

    it('is not reported again by the next process, which reads its events again', async () => {
      await world.job('acme', 'open')
      await world.job('acme', 'j1')
      await world.append('acme', 'j1', 0, completed)
      await world.clock.advance(1100)
      await life.crash()
      await world.live().orchestrator.ready
      await world.clock.advance(1100)
      expect(roots()).to.have.length(1)
    })

    for (const isStored of [true, false])
      it(`is reported once if its settlement got no answer, ${isStored ? 'but was stored' : 'and is lost'}`, async () => {
        const append = world.store.append.bind(world.store)
        let away = true
        world.store.append = async (...asked: Parameters<EventStore['append']>) => {
          const isSettlement = asked[2].some(({ type }) => type === 'CreditsSettled')
          if (!isSettlement || !away) return append(...asked)
          if (isStored) await append(...asked)
          throw new Error('connection lost')
        }
        await world.job('acme', 'j1')
        await world.append('acme', 'j1', 0, completed)
        await world.clock.advance(6000)
        away = false
        await world.clock.advance(6000)
        expect(await world.settlementsOf('acme')).to.have.length(1)
        expect(roots()).to.have.length(1)
      })
  })

  it('passes the root span on to what it decides and publishes', async () => {
    const life = world.live()
    const own = newTraceparent(true)
    world.metadata = (orgId, jobId) => ({ orgId, correlationId: jobId, causationId: 'test', traceparent: own })
    await world.job('acme', 'j1', { windowSeconds: 5 })
    const [task] = await life.tasks('fetch')
    expect(task?.task.traceparent).to.equal(jobSpanOf('j1', own))
    await world.clock.advance(5100)
    const end = (await world.store.read(streams.job('j1'))).at(-1)
    const settled = (await world.store.read(streams.credits('acme'))).at(-1)
    expect([end?.type, settled?.type]).to.deep.equal(['JobFailed', 'CreditsSettled'])
    for (const event of [end, settled]) expect(event?.metadata.traceparent).to.equal(jobSpanOf('j1', own))
  })

  it('continues in the trace of the request, even if an earlier request has paid for it', async () => {
    const life = world.live()
    await world.debit('acme', 'j1')
    const again = newTraceparent(true)
    world.metadata = (orgId, jobId) => ({ orgId, correlationId: jobId, causationId: 'test', traceparent: again })
    await world.request('acme', 'j1')
    const [task] = await life.tasks('fetch')
    expect(task?.task.traceparent).to.equal(jobSpanOf('j1', again))
    await world.append('acme', 'j1', 0, completed)
    await settle()
    // The earlier request left spans in its own trace, which get a root there.
    expect(roots().map((root) => [root.traceparent, root.links])).to.deep.equal([
      [jobSpanOf('j1', again), undefined],
      [jobSpanOf('j1', traceparent), [jobSpanOf('j1', again)]],
    ])
    expect(world.telemetry.valuesOf(metrics.jobsFinished)).to.have.length(1)
  })

  describe('open jobs', () => {
    it('have no values before the end of the feed was reached', () => {
      world.live()
      expect(gauge(metrics.jobsOpen)).to.deep.equal([])
      expect(gauge(metrics.organizationsFailing)).to.deep.equal([])
    })

    it('are counted by age', async () => {
      world.live()
      await world.job('acme', 'j1', { windowSeconds: 3600 })
      await world.clock.advance(10 * 60_000)
      await world.debit('acme', 'j2')
      await settle()
      expect(gauge(metrics.jobsOpen).map(({ value, attributes }) => [attributes?.['video.age'], value])).to.deep.equal([
        ['1m', 1],
        ['5m', 0],
        ['15m', 1],
        ['older', 0],
      ])
      await world.append('acme', 'j1', 0, completed)
      await settle()
      expect(gauge(metrics.jobsOpen).map(({ value }) => value)).to.deep.equal([1, 0, 0, 0])
    })

    it('are counted by step while due and not claimed', async () => {
      world.live({ outstanding: 1 })
      await world.job('acme', 'j1')
      await world.clock.advance(2000)
      await world.job('acme', 'j2')
      await world.job('acme', 'j3', { lane: 'priority' })
      await world.clock.advance(3000)
      const told = (metric: Gauge) =>
        gauge(metric)
          .filter(({ value }) => value > 0)
          .map(({ value, attributes: of }) => [of?.['video.step'], of?.['video.lane'], value])
      expect(gauge(metrics.queueDepth)).to.have.length(steps.length * lanes.length)
      expect(told(metrics.queueDepth)).to.deep.equal([
        ['fetch', 'priority', 1],
        ['fetch', 'standard', 2],
      ])
      expect(told(metrics.queueOldest)).to.deep.equal([
        ['fetch', 'priority', 3],
        ['fetch', 'standard', 5],
      ])
      expect(only(metrics.jobsWindow)).to.equal(180)
      await world.append('acme', 'j1', 0, started('fetch'))
      await settle()
      expect(told(metrics.queueDepth)).to.deep.include(['fetch', 'standard', 1])
    })

    it('are counted while they are late and unsettled because the store does not take the settlement', async () => {
      world.live()
      await world.job('acme', 'j1', { windowSeconds: 20 })
      await world.debit('acme', 'j2')
      await settle()
      expect(only(metrics.creditsUnsettled)).to.equal(10)
      expect(only(metrics.creditsUnsettledOldest)).to.equal(0)
      expect(only(metrics.jobsOverdue)).to.equal(0)
      world.store.append = () => Promise.reject(new Error('the store is away'))
      await world.clock.advance(30_000)
      expect(only(metrics.jobsOverdue)).to.equal(1)
      // The debit without a job was due for a refund after 15 seconds.
      expect(only(metrics.creditsUnsettledOldest)).to.equal(15)
    })
  })

  it('show how many organizations had a failure of ours in the last five minutes', async () => {
    await world.organization('calm')
    world.live()
    for (const [orgId, jobId, code] of [
      ['acme', 'j1', 'upstream_error'],
      ['acme', 'j2', 'platform_blocked'],
      ['calm', 'j3', 'video_private'],
      ['calm', 'j4', 'no_speech'],
    ] as const) {
      await world.job(orgId, jobId)
      await world.append(orgId, jobId, 0, failed(code, orgId))
    }
    await settle()
    expect(only(metrics.organizationsFailing)).to.equal(1)
    await world.clock.advance(299_000)
    expect(only(metrics.organizationsFailing)).to.equal(1)
    await world.clock.advance(1000)
    expect(only(metrics.organizationsFailing)).to.equal(0)
  })

  it('show the ten organizations with the most jobs in the last five minutes, if wanted', async () => {
    const orgs = Array.from({ length: 12 }, (_, n) => `org-${n}`)
    for (const orgId of orgs) await world.organization(orgId)
    const life = world.live({ tellsBusiest: true })
    for (const [n, orgId] of orgs.entries())
      for (let job = 0; job <= n % 3; job++) await world.job(orgId, `${orgId}-${job}`)
    await settle()
    const told = () =>
      gauge(metrics.busiestOrganizations).map(({ value, attributes }) => [attributes?.['video.org.id'], value])
    expect(told()).to.have.length(10)
    expect(told().slice(0, 4)).to.deep.equal(['org-2', 'org-5', 'org-8', 'org-11'].map((orgId) => [orgId, 3]))
    await world.clock.advance(4 * 60_000)
    await world.job('org-0', 'late')
    await settle()
    expect(told()[0]).to.deep.equal(['org-2', 3])
    await world.clock.advance(2 * 60_000)
    expect(told()).to.deep.equal([['org-0', 1]])
    await life.crash()
    world.telemetry.gauges.delete(metrics.busiestOrganizations.name)
    world.live()
    expect(world.telemetry.gauges.has(metrics.busiestOrganizations.name)).to.equal(false)
  })

  it('show how far a recorded time was ahead since the last export', async () => {
    world.live()
    await settle()
    const now = world.clock.now
    world.clock.now = () => now.call(world.clock) - 5000
    world.live()
    await settle()
    world.clock.now = now
    expect(only(metrics.clockAhead)).to.equal(5)
    expect(only(metrics.clockAhead)).to.equal(0)
  })
})
