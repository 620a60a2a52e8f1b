import { expect } from 'chai'
import { renderToString } from 'preact-render-to-string'
import { Chart } from './chart.tsx'
import { barsOf, inBarsOf, totalOf } from './chart-data.ts'

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
  it('has a bar for every day, and puts operations that it does not know under one name', () => {
    const bars = barsWith(30, used(2, { transcript: cost(5), unknown: cost(1), later: cost(2) }))
    expect(bars).to.have.length(30)
    expect(bars[2]).to.include({ transcript: 5, extraction: 0, unknown: 3, jobs: 3 })
  })

  it('keeps every credit and day where days are put together, the newest whole', () => {
    const bars = barsWith(90, ...Array.from({ length: 90 }, (_, index) => used(index, { extraction: cost(index) })))
    const weeks = inBarsOf(7, bars)
    expect(weeks).to.have.length(13)
    expect(weeks.map(totalOf).reduce((a, b) => a + b)).to.equal((89 * 90) / 2)
    expect(weeks[0]).to.include({ from: START, to: START + 5 * DAY_MS })
    expect(weeks.at(-1)).to.include({ from: START + 83 * DAY_MS, to: START + 89 * DAY_MS })
  })

  it('draws bars of the height of their credits, with a gap between neighbours', () => {
    const html = renderToString(
      Chart({
        bars: barsWith(
          30,
          used(0, { transcript: cost(50), extraction: cost(50) }),
          used(29, { transcript: cost(100) }),
        ),
      }),
    )
    const [wide = ''] = html.split('class="narrow"')
    const bars = [
      ...wide.matchAll(/<rect class="bar (\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ]
      .slice(-3)
      .map(([, name, x, y, width, height]) => ({
        name,
        x: Number(x),
        y: Number(y),
        width: Number(width),
        height: Number(height),
      }))
    const [low, whole, high] = bars
    expect([low?.name, whole?.name, high?.name]).to.deep.equal(['transcript', 'transcript', 'extraction'])
    expect(low?.y).to.be.closeTo((high?.y ?? 0) + (high?.height ?? 0) + 2, 0.11)
    expect(whole?.height).to.be.closeTo((low?.height ?? 0) * 2, 0.2)
    expect((whole?.x ?? 0) + (whole?.width ?? 0)).to.be.at.most(640)
  })

  it('says in words what it shows', () => {
    const html = renderToString(Chart({ bars: barsWith(7, used(3, { transcript: cost(1200) })) }))
    expect(html).to.include('1,200 credits in all. Most on 4 Jan: 1,200.')
    expect(renderToString(Chart({ bars: barsWith(7) }))).to.include('0 credits in all.')
  })
})
