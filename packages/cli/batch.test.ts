import { expect } from 'chai'
import { keyOf, listedIn } from './batch.ts'
import { UsageError } from './command.ts'

const [a, b] = ['https://youtu.be/a', 'https://youtu.be/b']

describe('the file of a batch', () => {
  it('has a URL on each line, as people paste them', () => {
    expect(listedIn(`\uFEFF${a}\r\n\r\n# later\n  ${b} \nno URL`)).to.deep.equal([
      { url: a, line: 1 },
      { url: b, line: 4 },
      { url: 'no URL', line: 5 },
    ])
  })

  it('may be a table as spreadsheets save it', () => {
    expect(listedIn(`\uFEFFTitle,URL\r\n"A, ""b""",${a}\r\n\r\nB,${b},more\r\nC\r\n`)).to.deep.equal([
      { url: a, line: 2 },
      { url: b, line: 4 },
      { url: '', line: 5 },
    ])
  })

  const unreadable: [string, string][] = [
    ['', 'the file names no videos'],
    ['# nothing\n', 'the file names no videos'],
    ['title,link\nA,b\n', 'no column named url'],
    [`url\n"${a}\n`, 'line'],
  ]
  for (const [text, message] of unreadable)
    it(`is refused if it is ${JSON.stringify(text)}`, () => {
      expect(() => listedIn(text)).to.throw(UsageError, message)
    })

  it('is the same batch with the same options, and another with others', () => {
    const body = { operation: 'transcript' as const, options: {}, requests: [a, b] }
    expect(keyOf(body))
      .to.equal(keyOf({ ...body }))
      .and.to.match(/^cli-[0-9a-f]{64}$/)
    expect(keyOf({ ...body, options: { mode: 'native' } })).to.not.equal(keyOf(body))
    expect(keyOf({ ...body, requests: [b, a] })).to.not.equal(keyOf(body))
  })
})
