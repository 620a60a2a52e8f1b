import { expect } from 'chai'
import { clockTime, entry, wrap } from './page.ts'

describe('the page the demo prints', () => {
  it('wraps between words and loses none', () => {
    const text = 'the quick brown fox jumps over the lazy dog again and again'
    const lines = wrap(text, 16)
    expect(lines.every((line) => line.length <= 16)).to.equal(true)
    expect(lines.join(' ')).to.equal(text)
  })

  it('leaves a word wider than the page alone', () => {
    expect(wrap('a http://127.0.0.1:8080 b', 5)).to.deep.equal(['a', 'http://127.0.0.1:8080', 'b'])
  })

  it('stays within 80 columns next to a label', () => {
    const lines = entry('  label', 'word '.repeat(60)).split('\n')
    expect(lines[0]).to.match(/^ {2}label {13}word/)
    expect(lines.slice(1).every((line) => /^ {20}word/.test(line) && line.length <= 80)).to.equal(true)
  })

  it('shows seconds as minutes and seconds, rounded once', () => {
    expect([0, 7.34, 59.96, 61, 3599.99].map(clockTime)).to.deep.equal([
      '0:00.0',
      '0:07.3',
      '1:00.0',
      '1:01.0',
      '60:00.0',
    ])
  })
})
