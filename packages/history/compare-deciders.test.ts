import { expect } from 'chai'
import { type Credits, credits } from '#packages/domain/credits/credits.ts'
import { draftOf } from '#packages/domain/credits/ledger.ts'
import { job } from '#packages/domain/job/job.ts'
import { key } from '#packages/domain/key/key.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { changesOf } from './changes.ts'
import { compareDeciders, type Rivals, type Rules } from './compare-deciders.ts'
import { goldenStore } from './history-store.fixture.ts'
import { recordedCommands } from './recorded-command.ts'

const present = { job, credits, key, organization } as unknown as Record<string, Required<Rules<unknown, unknown>>>

/** The code's own rules against changed ones. */
function rivals(kind: keyof typeof recordedCommands, changed: Partial<Rules<unknown, unknown>> = {}) {
  const rules = present[kind] as Required<Rules<unknown, unknown>>
  const pair = { prefix: `${kind}-`, present: rules, changed: { ...rules, ...changed } }
  return { ...pair, commandOf: recordedCommands[kind] } as Rivals<unknown, unknown>
}

/** Charges one credit less for what costs five. */
const cheaper = {
  decide(command: unknown, state: unknown): readonly DomainEvent[] {
    const events = present.job?.decide(command, state) ?? []
    return events.map((event) =>
      event.type === 'JobCompleted' && event.data.credits === 5
        ? { ...event, data: { ...event.data, credits: 4 } }
        : event,
    )
  },
}

/** Never counts the lost leases of a step. */
const forgetful = {
  evolve(state: unknown, event: DomainEvent & { recordedAt: number }): unknown {
    const after = present.job?.evolve(state, event) as { status: string; claim?: unknown }
    return after.status === 'open' ? { ...after, claim: undefined } : after
  },
}

/** Leaves the debit of a settled job open. */
const leaving = {
  evolve(state: unknown, event: DomainEvent & { recordedAt: number }): unknown {
    const [before, after] = [state, present.credits?.evolve(state, event)] as [Credits, Credits]
    // Nothing but the ledger tells of it.
    if (event.type !== 'CreditsSettled') return { ...after, months: { ...after.months, lapsed: new Set() } }
    const { jobId } = event.data
    const ledger = draftOf(after.ledger)
    const open = before.ledger.openDebits.get(jobId)
    if (open !== undefined) ledger.openDebits.set(jobId, open)
    return { ledger, months: { ...after.months, lapsed: new Set() } }
  },
}

describe('changed rules, compared over a history', () => {
  for (const kind of ['job', 'credits', 'key', 'organization'] as const)
    for (const format of ['v1', 'v2'])
      it(`find nothing where the rules of a ${kind} are the same, in ${format}`, async () => {
        const found = await compareDeciders(goldenStore(format), rivals(kind))
        expect(found).to.include({ differingStates: 0, differingDecisions: 0 })
        if (format === 'v1') expect(found.decisions).to.be.greaterThan(0)
        expect(found.differences).to.deep.equal([])
      })

  it('name each decision that would have been another, with both outcomes', async () => {
    const found = await compareDeciders(goldenStore('v1'), rivals('job', cheaper))
    expect(found).to.include({ differingStates: 0, differingDecisions: 2, streams: 11 })
    const [one] = found.differences
    expect(one).to.include({ what: 'decision' })
    expect(JSON.stringify(one?.present)).to.contain('"credits":5')
    expect(JSON.stringify(one?.changed)).to.contain('"credits":4')
  })

  it('name each stream that ends in another state', async () => {
    const found = await compareDeciders(goldenStore('v1'), rivals('job', forgetful))
    const streams = found.differences.filter(({ what }) => what === 'state').map(({ stream }) => stream)
    // Only the job that is at work holds a claim.
    expect(streams).to.deep.equal(['job-3f2504e0-4f89-41d3-9a0c-0305e82c3308'])
  })

  it('see a debit that only one of them leaves open', async () => {
    const [one] = (await compareDeciders(goldenStore('v1'), rivals('credits', leaving))).differences
    const paths = changesOf(one?.present, one?.changed).map(({ path }) => path)
    const [jobs, debits] = [['04', '05'], 'ledger.openDebits.3f2504e0-4f89-41d3-9a0c-0305e82c44']
    expect(paths).to.deep.equal(jobs.map((job) => debits + job))
  })

  it('compare what a renewal would have given', async () => {
    const generous = {
      decide(command: unknown, state: unknown): readonly DomainEvent[] {
        const events = present.credits?.decide(command, state) ?? []
        return events.map((event) =>
          event.type === 'CreditsRenewed' && event.data.period === '2026-02'
            ? { ...event, data: { ...event.data, credits: 600 } }
            : event,
        )
      },
    }
    const found = await compareDeciders(goldenStore('v2'), rivals('credits', generous))
    expect(found.differingDecisions).to.be.greaterThan(0)
    expect(found.differences[0]?.present).to.not.deep.equal(found.differences[0]?.changed)
  })

  it('compare only states where the changed rules decide nothing', async () => {
    const { decide: _, ...folding } = present.job as Required<Rules<unknown, unknown>>
    const found = await compareDeciders(goldenStore('v1'), { ...rivals('job'), changed: folding })
    expect(found).to.include({ decisions: 0, differingStates: 0 })
  })

  it('find the same with few streams in memory, and where the history begins later', async () => {
    const whole = await compareDeciders(goldenStore('v1'), rivals('job', forgetful))
    expect(await compareDeciders(goldenStore('v1'), rivals('job', forgetful), { atOnce: 1 })).to.deep.equal(whole)
    const [, , , event] = await goldenStore('v1').read('job-3f2504e0-4f89-41d3-9a0c-0305e82c3308')
    const position = event?.position ?? 0
    const later = await compareDeciders(goldenStore('v1'), rivals('job', forgetful), { from: { position } })
    expect(later.differences.filter(({ what }) => what === 'state')).to.deep.equal(
      whole.differences.filter(({ what }) => what === 'state'),
    )
  })

  it('list as many differences as asked, and count all', async () => {
    const found = await compareDeciders(goldenStore('v1'), rivals('job', cheaper), { listed: 1 })
    expect(found.differingDecisions).to.equal(2)
    expect(found.differences).to.have.length(1)
  })
})
