import { expect } from 'chai'
import { parseOrgCommand } from './command.ts'

const parse = (...positionals: string[]) => parseOrgCommand({ positionals, values: {} })

describe('the command line of npm run org', () => {
  it('understands its four commands', () => {
    expect(parse('create', ' Acme ')).to.deep.equal({ type: 'create', name: 'Acme', plan: 'free', json: false })
    const pro = parseOrgCommand({ positionals: ['create', 'Acme'], values: { plan: 'pro', json: true } })
    expect(pro).to.deep.equal({ type: 'create', name: 'Acme', plan: 'pro', json: true })
    expect(parse('plan', 'o1', 'starter')).to.deep.equal({ type: 'plan', orgId: 'o1', plan: 'starter' })
    expect(parse('grant', 'o1', '25')).to.deep.equal({ type: 'grant', orgId: 'o1', credits: 25 })
    expect(parse('list')).to.deep.equal({ type: 'list' })
  })

  it('says what is wrong with anything else', () => {
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
