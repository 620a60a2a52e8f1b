import { expect } from 'chai'
import { printable } from './printable.ts'

describe('untrusted text, printed', () => {
  const cases: [what: string, text: string, shown: string][] = [
    [
      'colours and the title of a terminal',
      '\u001b[31mred\u001b]0;title\u0007',
      '\\u001b[31mred\\u001b]0;title\\u0007',
    ],
    ['C1 controls', '\u009b2J', '\\u009b2J'],
    ['line ends', 'one\r\ntwo\u2028three', 'one\\u000d\\u000atwo\\u2028three'],
    ['direction', 'a\u202egnp.exe\u2066', 'a\\u202egnp.exe\\u2066'],
    ['zero width', 'pay\u200bpal\ufeff', 'pay\\u200bpal\\ufeff'],
    ['tags, as two halves', '\u{e0041}', '\\udb40\\udc41'],
    ['a lone half', '\ud83d!', '\\ud83d!'],
  ]
  for (const [what, text, shown] of cases)
    it(`escapes ${what}`, () => {
      expect(printable(text)).to.equal(shown)
    })

  it('leaves words of every language, and emoji', () => {
    for (const text of ['Ünïcödé 日本語 العربية', 'می\u200cخواهم', '👩\u200d💻 ❤️', 'a\\u0041'])
      expect(printable(text)).to.equal(text)
  })

  it('leaves JSON the same JSON', () => {
    const value = { '\u202e': ['\u001b[2J', '\u{e0041}\u200b', 'plain'] }
    expect(JSON.parse(printable(JSON.stringify(value)))).to.deep.equal(value)
  })
})
