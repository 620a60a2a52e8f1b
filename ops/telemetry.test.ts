import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { metricRows } from '#ops/prometheus/metric-table.fixture.ts'

describe('ops/telemetry.md', () => {
  it('has a row for every metric, and no other', () => {
    const lines = readFileSync('ops/telemetry.md', 'utf8').split('\n')
    const table = lines.slice(lines.indexOf('## Metrics'))
    expect(table.filter((line) => line.startsWith('| `'))).to.deep.equal(metricRows())
  })
})
