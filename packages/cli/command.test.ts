import { expect } from 'chai'
import { argumentsOf, choice, helpOf, type Options, oneWord, UsageError, wholeNumber } from './command.ts'

const options = {
  mode: { value: 'MODE', about: 'how' },
  words: { about: 'each word' },
} as const satisfies Options

describe('the arguments of a command', () => {
  it('are words and options in any order, including the shared options', () => {
    const { words, values } = argumentsOf(['--mode', 'auto', 'a', '-o', 'x.srt', '--words', 'b', '--json'], { options })
    expect(words).to.deep.equal(['a', 'b'])
    expect({ ...values }).to.deep.equal({ mode: 'auto', output: 'x.srt', words: true, json: true })
  })

  const wrong: [string[], RegExp][] = [
    [['--mod', 'auto'], /^Unknown option '--mod'$/],
    [['--mode'], /--mode.* argument missing$/],
    [['--words=yes'], /--words' does not take an argument$/],
  ]
  for (const [args, message] of wrong)
    it(`are refused with an explanation: ${args.join(' ')}`, () => {
      expect(() => argumentsOf(args, { options })).to.throw(UsageError, message)
    })

  it('are checked: one word where one is needed, known values, whole numbers', () => {
    expect(oneWord(['a'], 'the URL')).to.equal('a')
    expect(() => oneWord([], 'the URL')).to.throw(UsageError, 'the URL is missing')
    expect(() => oneWord(['a', 'b'], 'the URL')).to.throw(UsageError, 'unexpected: b')
    expect(choice('mode', 'auto', ['native', 'auto'])).to.equal('auto')
    expect(choice('mode', undefined, ['native', 'auto'])).to.equal(undefined)
    expect(() => choice('mode', 'best', ['native', 'auto'])).to.throw(UsageError, '--mode must be one of native, auto')
    expect([wholeNumber('limit', '20'), wholeNumber('limit', undefined)]).to.deep.equal([20, undefined])
    for (const text of ['-1', '1.5', '', 'many'])
      expect(() => wholeNumber('limit', text)).to.throw(UsageError, '--limit')
  })

  it('are explained by the help, option by option', () => {
    const help = helpOf('program', 'transcript', { words: 'URL', about: 'Prints a transcript.', options })
    expect(help).to.match(/^Usage: program transcript URL \[options\]\n\nPrints a transcript\.\n/)
    for (const line of [/^ {6}--mode MODE +how$/m, /^ {6}--words +each word$/m, /^ {2}-o, --output FILE +write/m])
      expect(help).to.match(line)
  })
})
