import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createSampling } from './sampling.ts'
import { traceIdFrom } from './traceparent.ts'

const traces = Array.from({ length: 2000 }, () => traceIdFrom(randomUUID()))
const half = { sampler: 'parentbased_traceidratio', samplerRatio: 0.5 }

describe('sampling', () => {
  it('gives each trace one answer, and records the requested share', () => {
    const isSampled = createSampling(half)
    const recorded = traces.filter(isSampled)
    expect(recorded.length).to.be.within(800, 1200)
    expect(traces.filter(isSampled)).to.deep.equal(recorded)
  })

  it('cannot be predicted from the id of a trace: another process decides otherwise', () => {
    const [one, other] = [createSampling(half), createSampling(half)]
    const differing = traces.filter((traceId) => one(traceId) !== other(traceId))
    expect(differing.length).to.be.within(800, 1200)
  })

  it('records everything, or nothing, if configured so', () => {
    const shares = ['parentbased_always_on', 'always_off'].map(
      (sampler) => traces.filter(createSampling({ sampler, samplerRatio: 0.5 })).length,
    )
    expect(shares).to.deep.equal([traces.length, 0])
  })
})
