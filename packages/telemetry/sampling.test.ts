import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { isInShare, sampledShare } from './sampling.ts'
import { traceIdFrom } from './traceparent.ts'

describe('sampling', () => {
  const traces = Array.from({ length: 10_000 }, () => traceIdFrom(randomUUID()))
  const recorded = (sampler: string, ratio: number): number =>
    traces.filter((traceId) => isInShare(traceId, sampledShare(sampler, ratio))).length

  it('records all traces, none, or a share of them', () => {
    for (const prefix of ['', 'parentbased_']) {
      expect(recorded(`${prefix}always_on`, 0)).to.equal(10_000)
      expect(recorded(`${prefix}always_off`, 1)).to.equal(0)
      expect(recorded(`${prefix}traceidratio`, 0)).to.equal(0)
      expect(recorded(`${prefix}traceidratio`, 0.1)).to.be.within(800, 1200)
      expect(recorded(`${prefix}traceidratio`, 1)).to.equal(10_000)
    }
    expect(isInShare('f'.repeat(32), 1)).to.equal(true)
  })

  it('decides the same of a trace each time', () => {
    expect(recorded('traceidratio', 0.3)).to.equal(recorded('traceidratio', 0.3))
  })
})
