import { expect } from 'chai'
import { debited, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { OpenJobs } from './open-jobs.ts'
import { traceparent } from './orchestrator.harness.ts'

/** An event as the feed delivers it. */
const stored = (
  stream: string,
  jobId: string,
  position: number,
  revision: number,
  event: DomainEvent,
): StoredEvent => ({
  ...event,
  id: `${stream}-${revision}`,
  stream,
  revision,
  position,
  recordedAt: position * 1000,
  metadata: { orgId: 'acme', correlationId: jobId, causationId: 'test', traceparent },
})

const debit = (jobId: string, position: number): StoredEvent =>
  stored('credits-acme', jobId, position, position, debited(jobId, 5))
const settlement = (jobId: string, position: number): StoredEvent =>
  stored('credits-acme', jobId, position, position, settled(jobId, 5, 0, 'completed'))
const request = (jobId: string, position: number): StoredEvent =>
  stored(`job-${jobId}`, jobId, position, 0, { type: 'JobRequested', data: jobRequested({ orgId: 'acme' }) })
const fetched = (jobId: string, position: number, revision: number): StoredEvent =>
  stored(`job-${jobId}`, jobId, position, revision, results.fetched)

describe('open jobs', () => {
  it('are open from their debit to their settlement', () => {
    const jobs = new OpenJobs()
    const tracked = jobs.apply(debit('j1', 7))
    expect(tracked).to.deep.include({ jobId: 'j1', orgId: 'acme', kind: 'transcript', openedAfter: 0 })
    expect(tracked).to.deep.include({
      debitedAt: 7000,
      credits: 5,
      traceparent,
      revision: -1,
      busy: false,
      isStuck: false,
    })
    expect(tracked?.job).to.deep.equal({ status: 'none' })
    expect([...jobs]).to.deep.equal([tracked])
    expect(jobs.apply(settlement('j1', 9))).to.equal(undefined)
    expect(jobs.size).to.equal(0)
    expect(jobs.get('j1')).to.equal(undefined)
  })

  it('move on with the events of their own stream', () => {
    const jobs = new OpenJobs()
    const tracked = jobs.apply(debit('j1', 1))
    jobs.apply(debit('j2', 2))
    expect(jobs.apply(request('j1', 3))).to.equal(tracked)
    jobs.apply(fetched('j1', 4, 1))
    expect(tracked).to.deep.include({ revision: 1 })
    expect(tracked?.job).to.deep.include({ status: 'open', fetched: true })
    expect(jobs.get('j2')?.job).to.deep.equal({ status: 'none' })
  })

  it('do not change when one of their events, or their debit, comes again', () => {
    const jobs = new OpenJobs()
    const tracked = jobs.apply(debit('j1', 1))
    for (const event of [request('j1', 2), fetched('j1', 3, 1)]) jobs.apply(event)
    const job = tracked?.job
    jobs.apply(request('j1', 2))
    expect(jobs.apply(debit('j1', 1))).to.equal(tracked)
    expect(tracked).to.deep.include({ revision: 1, job })
    expect(jobs.size).to.equal(1)
  })

  it('keep a published task when an old event comes again, and drop it when a new one comes', () => {
    const jobs = new OpenJobs()
    const tracked = jobs.apply(debit('j1', 1))
    if (tracked === undefined) throw new Error('the job is not open')
    jobs.apply(request('j1', 2))
    tracked.dueSince = 5
    jobs.apply(request('j1', 2))
    expect(tracked.dueSince).to.equal(5)
    jobs.apply(fetched('j1', 3, 1))
    expect(tracked.dueSince).to.equal(undefined)
  })

  it('ignore events of other streams that name the job, and events of settled jobs', () => {
    const jobs = new OpenJobs()
    jobs.apply(debit('j1', 1))
    const granted = { type: 'CreditsGranted', data: { credits: 5, reason: 'adjustment', by: 'command' } } as const
    expect(jobs.apply(stored('credits-acme', 'j1', 2, 2, granted))).to.equal(undefined)
    expect(jobs.get('j1')?.revision).to.equal(-1)
    expect(jobs.apply(request('settled', 3))).to.equal(undefined)
    expect(jobs.size).to.equal(1)
  })

  it('know the feed position before their debit', () => {
    const jobs = new OpenJobs()
    jobs.passTo(3)
    expect(jobs.apply(debit('j1', 5))?.openedAfter).to.equal(3)
    expect(jobs.apply(debit('j2', 7))?.openedAfter).to.equal(5)
    jobs.apply(settlement('j1', 9))
    expect([...jobs].map(({ jobId }) => jobId)).to.deep.equal(['j2'])
  })
})
