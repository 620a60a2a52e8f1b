import { expect } from 'chai'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountOf, eachHarness } from './accounts.harness.ts'

const operator = accountOf({ id: 'op', isOperator: true })

const grant = { id: '11111111-2222-4333-8444-555555555555', credits: 25, reason: 'the first call failed' }

describe('operators', () => {
  const harness = eachHarness()
  let orgId: string
  beforeEach(async () => {
    orgId = (await harness.person('ada@example.com', 'Acme')).orgId
  })

  it('grant credits and change plans, and the events name only the entry of the trail', async () => {
    expect((await harness.operators.grant(operator, orgId, grant)).balance).to.equal(75)
    await harness.clock.advance(1)
    expect((await harness.operators.changePlan(operator, orgId, 'pro')).plan).to.equal('pro')
    const [plan, entry] = await harness.operators.audits(operator)
    expect(entry).to.deep.include({
      accountId: 'op',
      action: 'grant',
      orgId,
      detail: 'credits: 25; reason: the first call failed',
    })
    expect(plan).to.deep.include({ action: 'plan', detail: 'plan: pro' })
    const [, granted, changed] = await harness.memory.read(streams.credits(orgId))
    const by = [granted, changed].map((event) => event && 'by' in event.data && event.data.by)
    expect(by).to.deep.equal([grant.id, plan?.id])
    expect(JSON.stringify([granted, changed])).to.not.contain('op@example.com')
  })

  it('grant once for a form that is sent twice', async () => {
    await harness.operators.grant(operator, orgId, grant)
    const again = harness.operators.grant(operator, orgId, grant)
    expect(await failureOf(again)).to.include({ code: 'idempotency_conflict' })
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(75)
  })

  it('grant once for a form that is sent several times at once', async () => {
    await Promise.allSettled(Array.from({ length: 5 }, () => harness.operators.grant(operator, orgId, grant)))
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(75)
  })

  it('do nothing without an entry in the trail', async () => {
    harness.accounts.addAudit = async () => Promise.reject(new Error('the disk is full'))
    await failureOf(harness.operators.grant(operator, orgId, grant))
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(50)
  })

  it('alone see these pages: others get not_found', async () => {
    const other = { ...operator, isOperator: false }
    const { operators } = harness
    for (const act of [
      () => operators.grant(other, orgId, grant),
      () => operators.changePlan(other, orgId, 'pro'),
      () => operators.audits(other),
    ])
      expect(await failureOf(act())).to.include({ code: 'not_found' })
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(50)
    expect(await operators.audits(operator)).to.deep.equal([])
  })

  it('get not_found for an unknown organization', async () => {
    expect(await failureOf(harness.operators.grant(operator, 'nobody', grant))).to.include({ code: 'not_found' })
  })
})
