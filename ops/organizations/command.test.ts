import { expect } from 'chai'
import { fullGrant } from '#packages/domain/key/grant.ts'
import { type orgOptions, parseOrgCommand } from './command.ts'

const now = Date.UTC(2026, 10, 21)
const parse = (...positionals: string[]) => parseOrgCommand({ positionals, values: {} }, now)

describe('the command line of npm run org', () => {
  it('understands its commands', () => {
    expect(parse('create', ' Acme ')).to.deep.equal({ type: 'create', name: 'Acme', plan: 'free', json: false })
    const pro = parseOrgCommand({ positionals: ['create', 'Acme'], values: { plan: 'pro', json: true } }, now)
    expect(pro).to.deep.equal({ type: 'create', name: 'Acme', plan: 'pro', json: true })
    expect(parse('plan', 'o1', 'starter')).to.deep.equal({ type: 'plan', orgId: 'o1', plan: 'starter' })
    expect(parse('grant', 'o1', '25')).to.deep.equal({ type: 'grant', orgId: 'o1', credits: 25 })
    const key = { type: 'key', orgId: 'o1', json: false }
    expect(parse('key', 'o1', 'import')).to.deep.equal({ ...key, request: { name: 'import', grant: fullGrant } })
    expect(parse('list')).to.deep.equal({ type: 'list' })
  })

  it('makes keys with limits, which end at an instant or with a day (UTC)', () => {
    const grantOf = (values: Partial<Record<keyof typeof orgOptions, string>>) => {
      const command = parseOrgCommand({ positionals: ['key', 'o1', 'import'], values: values as object }, now)
      return command.type === 'key' ? command.request.grant : undefined
    }
    const limits = { scopes: 'read,jobs', 'monthly-credits': '500', expires: '2026-12-01' }
    expect(grantOf(limits)).to.deep.equal({
      scopes: ['read', 'jobs'],
      monthlyCredits: 500,
      expiresAt: Date.UTC(2026, 11, 1),
    })
    expect(grantOf({ expires: '2026-12-01T01:00:00+01:00' })?.expiresAt).to.equal(Date.UTC(2026, 11, 1))
    for (const scopes of ['', 'admin', 'read,', 'read, jobs']) expect(() => grantOf({ scopes })).to.throw(/scopes/)
    for (const credits of ['', 'many', '-1', '1.5'])
      expect(() => grantOf({ 'monthly-credits': credits })).to.throw(/monthlyCredits/)
    for (const expires of ['', 'soon', '2026-11-21', '2027-02-30'])
      expect(() => grantOf({ expires })).to.throw(/expiresAt/)
    expect(() => parse('key', 'o1')).to.throw(/name/)
    expect(() => parse('key')).to.throw(/organization/)
  })

  it('explains what is wrong with any other words', () => {
    expect(() => parse()).to.throw(/missing/)
    expect(() => parse('creat')).to.throw(/no command creat/)
    expect(() => parse('create')).to.throw(/name/)
    expect(() => parse('create', '   ')).to.throw(/name/)
    expect(() => parse('create', 'Big', 'Corp')).to.throw(/quotes/)
    expect(() => parse('plan', 'o1', 'gold')).to.throw(/free, starter, pro/)
    for (const credits of ['0', '-5', '1.5', 'many', '1e12'])
      expect(() => parse('grant', 'o1', credits)).to.throw(/credits/)
    expect(() => parse('grant')).to.throw(/organization/)
  })
})
