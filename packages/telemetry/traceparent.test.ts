import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { uuidFrom } from '#packages/ports/ids.ts'
import { jobSpanOf, newTraceparent, parseTraceparent, spanIdFrom, traceIdOf } from './traceparent.ts'

describe('the id of a span', () => {
  it('follows from any id: from the digits of a UUID, else from its hash', () => {
    const ids = [randomUUID(), uuidFrom('job', 1), 'j1', '', 'job-3f2504e0-4f89-41d3-9a0c-0305e82c4401', 'é'.repeat(99)]
    const spans = ids.map(spanIdFrom)
    for (const span of spans) expect(span).to.match(/^[0-9a-f]{16}$/)
    expect(new Set(spans)).to.have.length(ids.length)
    expect(spanIdFrom('3f2504e0-4f89-41d3-9a0c-0305e82c4401')).to.equal('9a0c0305e82c4401')
  })

  it('stays in the trace, and keeps it valid', () => {
    const traceparent = newTraceparent(true)
    const root = jobSpanOf('j1', traceparent)
    expect(parseTraceparent(root)).to.deep.equal({ traceId: traceIdOf(traceparent), spanId: spanIdFrom('j1') })
  })
})
