import { expect } from 'chai'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountHarness, accountOf } from './accounts.harness.ts'

const operator = accountOf({ id: 'op', email: 'op@example.com', isOperator: true })

describe('operators', () => {
  let harness: ReturnType<typeof accountHarness>
  let orgId: string
  beforeEach(async () => {
    harness = accountHarness()
    orgId = (await harness.person('ada@example.com', 'Acme')).orgId
  })

  it('grant credits and change plans, and the events name the entry of the trail as their cause, and nobody', async () => {
    expect((await harness.operators.grant(operator, orgId, 25)).balance).to.equal(75)
    await harness.clock.advance(1)
    expect((await harness.operators.changePlan(operator, orgId, 'pro')).plan).to.equal('pro')
    const [plan, grant] = await harness.operators.audits(operator)
    expect(grant).to.deep.include({ accountId: 'op', action: 'grant', orgId, detail: 'credits: 25' })
    expect(plan).to.deep.include({ action: 'plan', detail: 'plan: pro' })
    const [, granted, changed] = await harness.memory.read(streams.credits(orgId))
    expect([granted?.metadata.causationId, changed?.metadata.causationId]).to.deep.equal([grant?.id, plan?.id])
    expect(JSON.stringify([granted, changed])).to.not.contain('op@example.com')
  })

  it('do nothing that the trail has no entry of', async () => {
    harness.accounts.addAudit = async () => Promise.reject(new Error('the disk is full'))
    await failureOf(harness.operators.grant(operator, orgId, 25))
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(50)
  })

  it('alone see these pages: to others there are none', async () => {
    const other = { ...operator, isOperator: false }
    const { operators } = harness
    for (const act of [
      () => operators.grant(other, orgId, 25),
      () => operators.changePlan(other, orgId, 'pro'),
      () => operators.organizations(other, { limit: 10 }),
      () => operators.audits(other),
    ])
      expect(await failureOf(act())).to.include({ code: 'not_found' })
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(50)
    expect(await operators.audits(operator)).to.deep.equal([])
  })

  it('find organizations by name and id, as many as they want to see', async () => {
    await harness.person('eve@example.com', 'Umbrella')
    const namesOf = async (search: string, limit = 10) =>
      (await harness.operators.organizations(operator, { search, limit })).map(({ name }) => name)
    expect(await namesOf('')).to.deep.equal(['Acme', 'Umbrella'])
    expect(await namesOf('', 1)).to.deep.equal(['Acme'])
    expect(await namesOf(' umb')).to.deep.equal(['Umbrella'])
    expect(await namesOf(orgId)).to.deep.equal(['Acme'])
  })

  it('hear that there is no such organization', async () => {
    expect(await failureOf(harness.operators.grant(operator, 'nobody', 5))).to.include({ code: 'not_found' })
  })
})
