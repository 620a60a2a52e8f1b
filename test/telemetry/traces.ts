import { spanIdFrom } from '#packages/telemetry/traceparent.ts'
import { at } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { straysIn, traceIn } from './jaeger.ts'
import { DECISION_SECONDS } from './observers.ts'
import type { Scene } from './scene.ts'

/** An ended job, and the trace id that its customer got. */
export type TracedJob = { jobId: string; traceId: string }

async function tracedJob({ customers: { first } }: Scene, url: string, mode: string): Promise<TracedJob> {
  const { status, headers, text, body } = await first.transcript({ url, mode })
  const traceId = headers.get('x-trace-id')
  if (status !== 202 || body.jobId === undefined || traceId === null)
    throw new Error(`${status} without a job or a trace: ${text}`)
  await first.ended(body.jobId)
  return { jobId: body.jobId, traceId }
}

export const failedJob = (scene: Scene): Promise<TracedJob> => tracedJob(scene, at('/nothing.mp4'), 'generate')
export const completedJob = (scene: Scene): Promise<TracedJob> => tracedJob(scene, at('/captioned.mp4'), 'native')

/** A failed job's trace is found whole, with the failure at its root. @throws Error if it is not */
export async function findFailed({ observers: { jaeger } }: Scene, { jobId, traceId }: TracedJob): Promise<string> {
  const spans = await until(
    'the trace is found',
    async () => {
      const found = await traceIn(jaeger, traceId)
      return found.length > 0 && found
    },
    { seconds: DECISION_SECONDS + 120, everyMs: 1000 },
  )
  const roots = spans.filter(({ parentId }) => parentId === '')
  const [root] = roots
  if (roots.length !== 1 || root?.id !== spanIdFrom(jobId) || !root.isError)
    throw new Error(`its roots are ${JSON.stringify(roots)}`)
  const strays = straysIn(spans)
  if (strays.length > 0) throw new Error(`these have no parent: ${strays.map(({ name }) => name).join(', ')}`)
  return `${spans.length} spans, ${[...new Set(spans.map(({ name }) => name))].join(', ')}`
}

/** Nothing is kept of a job that completed in time. @throws Error if something is */
export async function findNothing({ observers: { jaeger } }: Scene, { traceId }: TracedJob): Promise<string> {
  const spans = await traceIn(jaeger, traceId)
  if (spans.length > 0)
    throw new Error(`kept: ${spans.map(({ name, isError }) => `${name}${isError ? ' (error)' : ''}`).join(', ')}`)
  return ''
}
