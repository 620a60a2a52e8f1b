import { expect } from 'chai'
import { parseAccountsCommand } from './command.ts'

const parse = (...positionals: string[]) => parseAccountsCommand({ positionals, values: {} })
const email = 'ada@example.com'

describe('the command line of npm run accounts', () => {
  it('understands its commands', () => {
    expect(parse('list')).to.deep.equal({ type: 'list' })
    for (const type of ['invite', 'reset', 'reset-second-factor', 'remove'])
      expect(parse(type, email)).to.deep.equal({ type, email })
    expect(parse('operator', email)).to.deep.equal({ type: 'operator', email, isOperator: true })
    const not = parseAccountsCommand({ positionals: ['operator', email], values: { remove: true } })
    expect(not).to.deep.equal({ type: 'operator', email, isOperator: false })
  })

  it('explains what is wrong with any other words', () => {
    expect(() => parse()).to.throw(/missing/)
    expect(() => parse('delete', email)).to.throw(/no command delete/)
    for (const type of ['invite', 'operator', 'reset', 'remove']) {
      expect(() => parse(type), type).to.throw(/e-mail address/)
      expect(() => parse(type, 'ada'), type).to.throw(/e-mail address/)
      expect(() => parse(type, email, email), type).to.throw(/unexpected/)
    }
    expect(() => parse('list', email)).to.throw(/unexpected/)
    expect(() => parseAccountsCommand({ positionals: ['reset', email], values: { remove: true } })).to.throw(/--remove/)
  })
})
