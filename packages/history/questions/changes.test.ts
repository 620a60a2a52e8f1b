import { expect } from 'chai'
import { asJson } from './as-json.ts'
import { changesOf } from './changes.ts'
import { secondsText } from './seconds-text.ts'

describe('states as text', () => {
  it('are JSON, with maps as objects and sets as lists', () => {
    expect(asJson({ open: new Map([['job-1', { credits: 5 }]]), seen: new Set([1, 2]) })).to.equal(
      '{"open":{"job-1":{"credits":5}},"seen":[1,2]}',
    )
    expect(asJson(new Map([[7, 'seven']]))).to.equal('{"7":"seven"}')
    expect(asJson(undefined)).to.equal('null')
  })

  it('differ in the fields that are not the same, however deep', () => {
    const one = { balance: 5, open: new Map([['a', { credits: 1 }]]), given: new Set(['2026-01']) }
    const other = { balance: 5, open: new Map([['a', { credits: 2 }]]), given: new Set(['2026-01', '2026-02']) }
    expect(changesOf(one, other)).to.deep.equal([
      { path: 'open.a.credits', one: 1, other: 2 },
      { path: 'given.1', one: undefined, other: '2026-02' },
    ])
    expect(changesOf(one, structuredClone(one))).to.deep.equal([])
    expect(changesOf(1, { a: 1 })).to.deep.equal([{ path: '', one: 1, other: { a: 1 } }])
  })
})

describe('a duration as text', () => {
  it('has milliseconds while it is short', () => {
    expect([0, 12, 59_999, 60_000, 125_400, 3_599_400, 11_220_000].map(secondsText)).to.deep.equal([
      ...['0.000 s', '0.012 s', '59.999 s'],
      ...['1 min 00 s', '2 min 05 s', '59 min 59 s', '3 h 07 min'],
    ])
  })
})
