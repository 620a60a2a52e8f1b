import { expect } from 'chai'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { describeViews } from '#packages/ports/views.contract.ts'
import { ViewsLostError } from '#packages/ports/views.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { metrics } from './metrics.ts'
import { names } from './names.ts'
import { noTelemetry } from './telemetry.ts'
import { tracedViews } from './traced-views.ts'

describeViews('tracedViews', async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => tracedViews(new MemoryViews({ clock, definition, documents }), noTelemetry),
    async [Symbol.asyncDispose]() {},
  }
})

describe('a batch for the views', () => {
  it('is measured, by how it ended', async () => {
    const telemetry = new RecordingTelemetry()
    const views = new MemoryViews({ clock, definition })
    const apply = tracedViews(views, telemetry)
    await apply.begin()
    await apply.apply([], { position: 1, checkpoint: 1 })
    views.apply = () => Promise.reject(new ViewsLostError('a test'))
    await failureOf(apply.apply([], { position: 2, checkpoint: 2 }))
    views.apply = () => Promise.reject(new Error('disk full'))
    await failureOf(apply.apply([], { position: 2, checkpoint: 2 }))
    const measured = telemetry.valuesOf(metrics.viewsDuration)
    expect(measured.map(({ attributes }) => attributes[names.outcome])).to.deep.equal(['ok', 'replaced', 'failed'])
  })
})
