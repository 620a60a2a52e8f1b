import { expect } from 'chai'
import { credits } from '#packages/domain/credits/credits.ts'
import { draftOf, type Ledger } from '#packages/domain/credits/ledger.ts'
import { job } from '#packages/domain/job/job.ts'
import { key } from '#packages/domain/key/key.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { delivery } from '#packages/domain/webhook/delivery.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { changesOf } from './changes.ts'
import { compareDeciders, type Rivals, type Rules } from './compare-deciders.ts'
import { goldenStore } from './history-store.fixture.ts'

const present = { job, credits, key, organization, webhook, delivery } as unknown as Record<string, Rules<unknown>>

/** The code's own rules and changed ones. */
function rivals(kind: string, changed: Partial<Rules<unknown>> = {}): Rivals<unknown> {
  const rules = present[kind] as Rules<unknown>
  return { prefix: `${kind}-`, present: rules, changed: { ...rules, ...changed } }
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
    const [before, after] = [state, present.credits?.evolve(state, event)] as [Ledger, Ledger]
    if (event.type !== 'CreditsSettled') return after
    const { jobId } = event.data
    const ledger = draftOf(after)
    const open = before.openDebits.get(jobId)
    if (open !== undefined) ledger.openDebits.set(jobId, open)
    return ledger
  },
}

describe('changed rules, compared over a history', () => {
  for (const kind of ['job', 'credits', 'key', 'organization', 'webhook', 'delivery'])
    it(`find nothing where the rules of a ${kind} are the same`, async () => {
      const found = await compareDeciders(goldenStore(), rivals(kind))
      expect(found).to.deep.include({ differingStates: 0, differences: [] })
      expect(found.streams).to.be.greaterThan(0)
    })

  it('name each stream that ends in another state', async () => {
    const found = await compareDeciders(goldenStore(), rivals('job', forgetful))
    const streams = found.differences.map(({ stream }) => stream)
    // Only the job in progress holds a claim.
    expect(streams).to.deep.equal(['job-3f2504e0-4f89-41d3-9a0c-0305e82c3308'])
  })

  it('see a debit that only one of them leaves open', async () => {
    const [one] = (await compareDeciders(goldenStore(), rivals('credits', leaving))).differences
    const paths = changesOf(one?.present, one?.changed).map(({ path }) => path)
    const [jobs, debits] = [['04', '05', 'c1'], 'openDebits.3f2504e0-4f89-41d3-9a0c-0305e82c44']
    expect(paths).to.deep.equal(jobs.map((job) => debits + job))
  })

  it('find the same with few streams in memory, and where the history begins later', async () => {
    const whole = await compareDeciders(goldenStore(), rivals('job', forgetful))
    expect(await compareDeciders(goldenStore(), rivals('job', forgetful), { atOnce: 1 })).to.deep.equal(whole)
    const [, , , event] = await goldenStore().read('job-3f2504e0-4f89-41d3-9a0c-0305e82c3308')
    const position = event?.position ?? 0
    const later = await compareDeciders(goldenStore(), rivals('job', forgetful), { from: { position } })
    expect(later.differences).to.deep.equal(whole.differences)
  })

  it('list as many differences as asked, and count all', async () => {
    const other = { evolve: (_: unknown, event: DomainEvent) => event.type }
    const found = await compareDeciders(goldenStore(), rivals('job', other), { listed: 1 })
    expect(found.differingStates).to.equal(found.streams)
    expect(found.differences).to.have.length(1)
  })
})
