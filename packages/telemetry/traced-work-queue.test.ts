import { expect } from 'chai'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { metrics } from './metrics.ts'
import { tracedWorkQueue } from './traced-work-queue.ts'
import { spanIdFrom, spanIdOf, traceIdOf } from './traceparent.ts'

describe('a traced work queue', () => {
  const task = someTask()
  let telemetry: RecordingTelemetry
  let inner: MemoryWorkQueue
  let queue: WorkQueue

  beforeEach(() => {
    telemetry = new RecordingTelemetry()
    inner = new MemoryWorkQueue()
    queue = tracedWorkQueue(inner, { telemetry, clock: new ManualClock() })
  })

  it('delivers the task with the span of its publication, which is a child of the job', async () => {
    await queue.publish(task)
    const delivery = await queue.consume(task.step).take(task.lane, AbortSignal.timeout(1000))
    const [span] = telemetry.spans
    expect(delivery.task).to.deep.equal({ ...task, traceparent: span?.traceparent })
    expect(traceIdOf(span?.traceparent ?? '')).to.equal(traceIdOf(task.traceparent))
    expect(spanIdOf(span?.traceparent ?? '')).to.not.equal(spanIdOf(task.traceparent))
    expect(span).to.deep.include({ name: 'publish fetch', kind: 'producer', links: [], error: undefined })
    expect(span?.parentId).to.equal(spanIdFrom(task.jobId))
    expect(span?.attributes).to.deep.equal({
      'messaging.system.name': 'memory',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': `fetch.${task.lane}`,
      'video.job.id': task.jobId,
      'video.org.id': task.orgId,
      'video.step': 'fetch',
      'video.attempt': task.attempt,
      'video.task.republished': false,
    })
  })

  it('links each further publication of a task to the one before it', async () => {
    for (let n = 0; n < 3; n += 1) await queue.publish(task)
    await queue.publish({ ...task, attempt: task.attempt + 1 })
    const own = telemetry.spans.map(({ traceparent }) => traceparent)
    expect(telemetry.spans.map(({ links }) => links)).to.deep.equal([[], [own[0]], [own[1]], []])
    const republished = telemetry.valuesOf(metrics.tasksPublished).map((each) => each.attributes)
    expect(republished.map((each) => each['video.task.republished'])).to.deep.equal([false, true, true, false])
    expect(Object.keys(republished[0] ?? {})).to.have.members([...metrics.tasksPublished.attributes])
  })

  it('records a failed publication, but does not count it', async () => {
    await queue[Symbol.asyncDispose]()
    const failed = await queue.publish(task).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(Error)
    expect(telemetry.spans.map(({ error }) => error)).to.deep.equal(['not_published'])
    expect(telemetry.values).to.deep.equal([])
  })

  it('drops the oldest of very many', async () => {
    await queue.publish(task)
    // None of these publications reaches the queue, which would be full.
    await inner[Symbol.asyncDispose]()
    for (let n = 0; n < 10_000; n += 1) await queue.publish({ ...task, jobId: `other-${n}` }).catch(() => {})
    telemetry.spans.length = 0
    await queue.publish(task).catch(() => {})
    expect(telemetry.spans[0]?.links).to.deep.equal([])
  })
})
