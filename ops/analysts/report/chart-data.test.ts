import { expect } from 'chai'
import { largest } from '#services/dashboard/look/charts/chart-data.ts'
import { chartData, MAX_SERIES, ofOnePlace } from './chart-data.ts'

const plan = { kind: 'bars', values: ['jobs'], along: 'month', series: 'cause' } as const

describe('chartData', () => {
  it('puts the largest series first, and merges series without a colour of their own', () => {
    const rows = Array.from({ length: MAX_SERIES + 3 }, (_, index) => ({
      month: '2026-01',
      cause: `c${index}`,
      jobs: index + 1,
    }))
    const { series, at } = chartData(rows, plan)
    expect(series).to.deep.equal(['c10', 'c9', 'c8', 'c7', 'c6', 'c5', 'c4', 'other'])
    expect(at('2026-01', 'other')).to.equal(1 + 2 + 3 + 4)
  })

  it('takes several columns as series, in their order', () => {
    const rows = [{ hour: '2026-01-01 00:00:00', work: 1, wait: 2 }]
    const data = chartData(rows, { kind: 'lines', values: ['work', 'wait'], along: 'hour', series: undefined })
    expect(data.series).to.deep.equal(['work', 'wait'])
    expect(largest(data)).to.deep.equal({ along: '2026-01-01 00:00:00', series: 'wait', number: 2 })
  })

  it('keeps every row of a grid, and leaves missing numbers undefined', () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({
      signed_up: `m${index}`,
      months_later: 0,
      percent: index === 3 ? null : 1,
    }))
    const data = chartData(rows, { kind: 'grid', values: ['percent'], along: 'months_later', series: 'signed_up' })
    expect(data.series).to.have.length(19)
    expect(data.at('0', 'm3')).to.equal(undefined)
  })

  it('turns series into places if there is only one place', () => {
    const rows = [
      { month: '2026-01', change: 'new', usd: 9 },
      { month: '2026-01', change: 'lost', usd: -29 },
    ]
    const { along, series, at } = ofOnePlace(
      chartData(rows, { kind: 'bars', values: ['usd'], along: 'month', series: 'change' }),
    )
    expect({ along, series }).to.deep.equal({ along: ['lost', 'new'], series: ['usd'] })
    expect([at('lost', 'usd'), at('new', 'usd')]).to.deep.equal([-29, 9])
  })
})
