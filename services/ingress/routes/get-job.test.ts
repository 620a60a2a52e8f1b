import { expect } from 'chai'
import { waitSecondsOf } from '../requests/wait-preference.ts'
import { matches } from './get-job.ts'

describe('headers of a poll', () => {
  it('understands Prefer, and ignores malformed values', () => {
    const seconds = {
      'wait=30': 30,
      'respond-async, wait=5': 5,
      'WAIT=7;x': 7,
      'wait=600': 60,
      'wait=lots': 0,
      'wait=-1': 0,
      await: 0,
    }
    for (const [header, expected] of Object.entries(seconds))
      expect(waitSecondsOf(header, 60), header).to.equal(expected)
    expect(waitSecondsOf(undefined, 60)).to.equal(0)
  })

  it('compares tags as RFC 9110 does for If-None-Match', () => {
    expect(
      matches('"a"', '"a"') && matches('W/"a"', '"a"') && matches('"b", "a"', '"a"') && matches('*', '"a"'),
    ).to.equal(true)
    expect(matches(undefined, '"a"') || matches('a', '"a"') || matches('"b"', '"a"')).to.equal(false)
  })
})
