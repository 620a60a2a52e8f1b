import { expect } from 'chai'
import type { Row } from './part.ts'
import { reportOf } from './report.ts'

const circumstances = { machine: 'a machine', startedAt: new Date(0), seconds: 1, scale: 1 }
const conditions = { fsyncPerSecond: 1, load: 0 }

const reportOn = (...rows: Row[]): string =>
  reportOf([{ title: 'A part', figures: { rows }, conditions }], circumstances)

describe('the report of the bench', () => {
  const row = { what: 'something', measured: '1/s', wanted: '≥ 2/s', why: 'It is slow.' }

  it('gives the reason if a figure is missed', () => {
    expect(reportOn({ ...row, met: false }))
      .to.contain('| something | 1/s |  |  | ≥ 2/s | **no** |')
      .and.to.contain('\n- Why not met, something. It is slow.\n')
  })

  it('gives no reason if a figure is met, or if none is known', () => {
    const { why: _, ...unknown } = row
    for (const one of [{ ...row, met: true }, row, { ...unknown, met: false }])
      expect(reportOn(one)).to.not.contain('Why')
  })
})
