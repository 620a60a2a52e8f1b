import { expect } from 'chai'
import { deadLetterLine, parseDeadLetterCommand, UsageError } from './command.ts'

describe('npm run dead-letters', () => {
  it('understands its two commands, and explains what is wrong with any other words', () => {
    expect(parseDeadLetterCommand(['list'])).to.deep.equal({ type: 'list' })
    expect(parseDeadLetterCommand(['replay', '17'])).to.deep.equal({ type: 'replay', id: '17' })
    for (const words of [[], ['replay'], ['list', '1'], ['replay', '1', '2'], ['drop', '1']])
      expect(() => parseDeadLetterCommand(words)).to.throw(UsageError)
  })

  it('shows a letter on one line, whatever it contains', () => {
    const line = deadLetterLine({ id: '3', at: 0, reason: 'not JSON', message: `\u001b[2J\n${'x'.repeat(1000)}` })
    expect(line).to.match(/^3 {2}1970-01-01T00:00:00.000Z {2}not JSON {3}\[2J x{200,}…$/)
  })
})
