import { expect } from 'chai'
import { debited, granted, renewed, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { followJob, followOrganization } from './follow-on.ts'
import { stored, storeOf } from './history-store.fixture.ts'
import { readJob } from './job-record.ts'
import { readOrganization } from './organization-record.ts'
import { fieldsOf, HistoryTimeline, lineOf } from './timeline.ts'

const AT = Date.UTC(2026, 10, 21, 12)
const failed: DomainEvent = {
  type: 'JobFailed',
  data: { orgId: 'org-1', kind: 'transcript', code: 'timeout', message: 'Too late.', used: null },
}
const requested: DomainEvent = { type: 'JobRequested', data: jobRequested() }

/** Events of several streams, one per second, in the order of their positions. `causes`: by index. */
function history(events: readonly [stream: string, event: DomainEvent, causationId?: string][]): StoredEvent[] {
  const revisions = new Map<string, number>()
  return events.map(([stream, event, causationId], index) => {
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    return stored(event, { stream, revision, position: index + 1, recordedAt: AT + index * 1000, causationId })
  })
}

const busy = history([
  ['organization-org-1', { type: 'OrganizationRegistered', data: { name: 'One' } }],
  ['credits-org-1', granted(50)],
  ['credits-org-1', debited('j0', 5)],
  ['credits-org-1', debited('j1', 5)],
  ['job-j1', requested],
  ['key-k1', { type: 'KeyRevoked', data: { orgId: 'org-1' } }],
  ['credits-org-1', settled('j0', 0, 5, 'timeout')],
  ['job-j1', failed, 'orchestrator/j1/0'],
  ['credits-org-1', settled('j1', 0, 5, 'timeout'), 'orchestrator/j1/1'],
  ['credits-org-1', renewed('2026-12', 0, 5), 'orchestrator/j1/1'],
  ['credits-org-1', debited('j2', 5)],
])
const typesOf = (events: readonly StoredEvent[]) => events.map(({ type }) => type)

describe('what is known of a job', () => {
  it('is its own events and those of its debit, among those of others', async () => {
    const job = await readJob(storeOf(busy), 'j1')
    expect(job).to.include({ jobId: 'j1', orgId: 'org-1' })
    expect(job?.events.map(({ position }) => position)).to.deep.equal([4, 5, 8, 9, 10])
  })

  it('has no settlement before there is one, and no debit that is not in the ledger', async () => {
    const open = await readJob(storeOf(busy.slice(0, 6)), 'j1')
    expect(typesOf(open?.events ?? [])).to.deep.equal(['CreditsDebited', 'JobRequested'])
    const alone = await readJob(storeOf(busy.filter(({ type }) => !type.startsWith('Credits'))), 'j1')
    expect(typesOf(alone?.events ?? [])).to.deep.equal(['JobRequested', 'JobFailed'])
    expect(await readJob(storeOf(busy), 'j9')).to.equal(undefined)
  })

  it('is found without reading the ledger between the debit and the end of a long job', async () => {
    const other = (_: unknown, n: number): [string, DomainEvent] => ['credits-org-1', debited(`other-${n}`, 5)]
    const others = Array.from({ length: 5000 }, other)
    const events = history([
      ['credits-org-1', debited('j1', 5)],
      ['job-j1', requested],
      ...others,
      ['job-j1', failed],
      ['credits-org-1', settled('j1', 0, 5, 'timeout')],
      ...others,
    ])
    const store = storeOf(events)
    expect(typesOf((await readJob(store, 'j1'))?.events ?? [])).to.deep.equal([
      ...['CreditsDebited', 'JobRequested', 'JobFailed', 'CreditsSettled'],
    ])
    expect(store.reads).to.be.at.most(45)
  })

  it('goes on, while it is followed, to its settlement', async () => {
    const now = storeOf(busy.slice(0, 5))
    const job = await readJob(now, 'j1')
    if (job === undefined) throw new Error('the job is missing')
    const further = await Array.fromAsync(followJob(storeOf(busy), job, new AbortController().signal))
    expect(further.map(({ position }) => position)).to.deep.equal([8, 9, 10])
    const whole = await readJob(storeOf(busy), 'j1')
    if (whole === undefined) throw new Error('the job is missing')
    expect(await Array.fromAsync(followJob(storeOf(busy), whole, new AbortController().signal))).to.deep.equal([])
  })
})

describe('what is known of an organization', () => {
  it('is its registration, its keys and its ledger, in order', async () => {
    const organization = await readOrganization(storeOf(busy), 'org-1')
    const events = await Array.fromAsync(organization?.events ?? [])
    expect(events.map(({ position }) => position)).to.deep.equal([1, 2, 3, 4, 6, 7, 9, 10, 11])
    expect(await readOrganization(storeOf(busy), 'org-9')).to.equal(undefined)
  })

  it('goes on, while it is followed, with what was not shown', async () => {
    const revisions = new Map([['credits-org-1', 3]])
    const shown = { position: 3, revisions }
    const further = await Array.fromAsync(
      followOrganization(storeOf(busy), 'org-1', shown, new AbortController().signal),
    )
    expect(further.map(({ position }) => position)).to.deep.equal([6, 9, 10, 11])
  })
})

describe('a timeline of stored events', () => {
  it('tells times between, causes, and the balance of a ledger that is shown from its beginning', () => {
    const timeline = new HistoryTimeline()
    const entries = busy.map((event) => timeline.add(event))
    expect(entries.map(({ sinceMs }) => sinceMs)).to.deep.equal([0, ...Array(10).fill(1000)])
    expect(entries.map(({ cause }) => cause).slice(7, 9)).to.deep.equal(['job #0 JobRequested', 'job #1 JobFailed'])
    expect(entries.map(({ balance }) => balance)).to.deep.equal([
      ...[undefined, 50, 45, 40, undefined, undefined, 45, undefined, 50, 45, 40],
    ])
    expect(lineOf(entries[2] as (typeof entries)[0], 'org-1')).to.equal(
      '2026-11-21T12:00:02.000Z     +1.000 s  credits #1      CreditsDebited          ' +
        '5 credits taken, job j0; 45 left                  from request request-',
    )
    expect(fieldsOf(entries[7] as (typeof entries)[0])).to.include({
      at: '2026-11-21T12:00:07.000Z',
      stream: 'job-j1',
      revision: 1,
      note: 'timeout',
      cause: 'job #0 JobRequested',
    })
  })

  it('shows where a clock went back, and no balance of a part of a ledger', () => {
    const timeline = new HistoryTimeline()
    const [, , , first, second] = busy as [StoredEvent, StoredEvent, StoredEvent, StoredEvent, StoredEvent]
    timeline.add({ ...first, recordedAt: AT + 500 })
    const entry = timeline.add({ ...second, recordedAt: AT })
    expect(entry).to.include({ sinceMs: -500, balance: undefined })
    expect(lineOf(entry, 'j1')).to.contain('-0.500 s  job #0')
  })
})
