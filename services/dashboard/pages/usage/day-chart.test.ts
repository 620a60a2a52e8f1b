import { expect } from 'chai'
import { renderToString } from 'preact-render-to-string'
import { barsOf, inBarsOf, totalOf } from './chart-data.ts'
import { DayChart } from './day-chart.tsx'

const START = Date.UTC(2026, 0, 1)
const DAY_MS = 24 * 60 * 60 * 1000
const dayOf = (index: number): string => new Date(START + index * DAY_MS).toISOString().slice(0, 10)
const cost = (charged: number) => ({ jobs: 1, charged, refunded: 0 })
const used = (index: number, operation: Record<string, ReturnType<typeof cost>>) => ({
  orgId: 'acme',
  startsAt: START + index * DAY_MS,
  operation,
  key: {},
  platform: {},
})

const barsWith = (count: number, ...days: ReturnType<typeof used>[]) =>
  barsOf({ from: dayOf(0), to: dayOf(count - 1), days })

describe('the chart of usage', () => {
  it('has a bar for every day, and one name for all unknown operations', () => {
    const bars = barsWith(30, used(2, { transcript: cost(5), unknown: cost(1), later: cost(2) }))
    expect(bars).to.have.length(30)
    expect(bars[2]).to.include({ transcript: 5, extraction: 0, unknown: 3, jobs: 3 })
  })

  it('loses no credit and no day when days are combined, and fills the newest bar', () => {
    const bars = barsWith(90, ...Array.from({ length: 90 }, (_, index) => used(index, { extraction: cost(index) })))
    const weeks = inBarsOf(7, bars)
    expect(weeks).to.have.length(13)
    expect(weeks.map(totalOf).reduce((a, b) => a + b)).to.equal((89 * 90) / 2)
    expect(weeks[0]).to.include({ from: START, to: START + 5 * DAY_MS })
    expect(weeks.at(-1)).to.include({ from: START + 83 * DAY_MS, to: START + 89 * DAY_MS })
  })

  it('draws bars as high as their credits, with a gap between neighbours', () => {
    const html = renderToString(
      DayChart({
        bars: barsWith(
          30,
          used(0, { transcript: cost(50), extraction: cost(50) }),
          used(29, { transcript: cost(100) }),
        ),
      }),
    )
    const [wide = ''] = html.split('class="narrow"')
    const barsOfPath = (colour: string) => {
      const [, path = ''] = new RegExp(`<path class="bar ${colour}" d="([^"]*)"`).exec(wide) ?? []
      return [...path.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g)].map((match) => {
        const [x = 0, y = 0, width = 0, height = 0] = match.slice(1).map(Number)
        return { x, y, width, height, right: x + width, bottom: y + height }
      })
    }
    const [half, whole] = barsOfPath('c0')
    const [upper, ...more] = barsOfPath('c1')
    if (half === undefined || whole === undefined || upper === undefined) throw new Error('a bar is missing')
    expect(more).to.deep.equal([])
    expect(whole.height).to.be.closeTo(half.height * 2, 0.2)
    expect(half.y - upper.bottom).to.be.closeTo(2, 0.11)
    expect(upper.y).to.be.closeTo(whole.y, 0.11)
    expect(upper.x).to.equal(half.x)
    expect(whole.right).to.be.at.most(860)
  })

  it('describes in words what it shows', () => {
    const html = renderToString(DayChart({ bars: barsWith(7, used(3, { transcript: cost(1200) })) }))
    expect(html).to.include('1,200 credits in all. Most on 4 Jan: 1,200.')
    expect(renderToString(DayChart({ bars: barsWith(7) }))).to.include('0 credits in all.')
  })
})
