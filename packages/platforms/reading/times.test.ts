import { expect } from 'chai'
import { secondsOfClock, toIsoTime } from './times.ts'

describe('a length in clock format', () => {
  const lengths: [string | null, number | null][] = [
    ['0:08', 8],
    ['11:20', 680],
    ['125:00', 7500],
    ['1:02:03', 3723],
    ['LIVE', null],
    ['12', null],
    ['1:60', null],
    ['', null],
    [null, null],
  ]
  for (const [text, seconds] of lengths) {
    it(`is ${seconds} seconds for ${text}`, () => expect(secondsOfClock(text)).to.equal(seconds))
  }
})

describe('a time of publication', () => {
  const times: [string | null, string | null][] = [
    ['2017-05-16T07:50:53-07:00', '2017-05-16T14:50:53.000Z'],
    ['2026-02-12T10:11:12', '2026-02-12T10:11:12.000Z'],
    ['2026-02-12', '2026-02-12T00:00:00.000Z'],
    ['2026-02-12 10:11:12+00:00', '2026-02-12T10:11:12.000Z'],
    ['2 days ago', null],
    ['2026-13-45T00:00:00', null],
    [null, null],
  ]
  for (const [text, iso] of times) {
    it(`is ${iso} for ${text}`, () => expect(toIsoTime(text)).to.equal(iso))
  }
})
