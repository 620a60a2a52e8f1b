import { expect } from 'chai'
import { formatNumber, formatTick } from './format.ts'

describe('formatNumber', () => {
  it('shows a time in the unit that fits, regardless of its column’s unit', () => {
    const told = [0.01, 0.5, 3, 72].map((hours) => formatNumber(hours, 'median_hours'))
    expect(told).to.deep.equal(['36 s', '30 min', '3 h', '3 d'])
    expect([0, 0.25, 119, 7200].map((seconds) => formatNumber(seconds, 'p95_seconds'))).to.deep.equal([
      '0 s',
      '0.25 s',
      '119 s',
      '2 h',
    ])
  })

  it('uses one unit for all numbers of an axis', () => {
    expect([0, 0.005, 0.01].map((hours) => formatTick(hours, 'median_hours', 0.01))).to.deep.equal([
      '0 s',
      '18 s',
      '36 s',
    ])
  })
})
