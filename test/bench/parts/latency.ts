import type { Errand, TimedJob } from '../kit/caller-process.ts'
import { Child } from '../kit/child.ts'
import { milliseconds } from '../kit/figures.ts'
import { percentile } from '../kit/percentiles.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'
import type { ServiceOpened, ServiceOpening } from '../service/service-process.ts'

const JOBS = 300
const WARM_UP_JOBS = 50
const REST_MS = 15

/** p50 and p99 of a sample, as a row. */
function rowOf(what: string, sample: readonly number[], limits?: { p50Ms: number; p99Ms?: number }): Row {
  const [p50, p99] = [percentile(sample, 0.5), percentile(sample, 0.99)]
  const row = { what, measured: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}` }
  if (limits === undefined) return row
  const { p50Ms, p99Ms } = limits
  const wanted = `p50 ≤ ${p50Ms} ms${p99Ms === undefined ? '' : `, p99 ≤ ${p99Ms} ms`}`
  return { ...row, wanted, met: p50 <= p50Ms && (p99Ms === undefined || p99 <= p99Ms) }
}

async function run(bench: Bench): Promise<Figures> {
  const dataDir = await bench.folder('latency')
  await using caller = new Child(new URL('../kit/caller-process.ts', import.meta.url), { directory: bench.directory })
  await using service = startTested(bench, new URL('../service/service-process.ts', import.meta.url))
  const opening: ServiceOpening = { dataDir, customers: 1, slots: 8 }
  const { port, customers } = await service.call<ServiceOpened>('open', opening)
  const errand = { port, key: customers[0]?.key ?? '', body: JSON.stringify({ url: VIDEO_URL }), restMs: REST_MS }
  const timed = await caller.call<TimedJob[]>('run', {
    ...errand,
    jobs: WARM_UP_JOBS + JOBS * bench.scale,
  } satisfies Errand)
  const starts = new Map(await service.call<[string, number][]>('starts'))
  const measured = timed.slice(WARM_UP_JOBS)
  const toStart = measured.map(({ jobId, answeredAt }) => (starts.get(jobId) ?? Number.NaN) - answeredAt)
  const toAnswer = measured.map(({ postedAt, answeredAt }) => answeredAt - postedAt)
  const toEnd = measured.map(({ postedAt, completedAt }) => completedAt - postedAt)
  return {
    rows: [
      rowOf('POST sent → answered', toAnswer),
      rowOf('POST answered → first step at work', toStart, { p50Ms: 5 }),
      rowOf('POST sent → completed, as a waiting poll sees it', toEnd, { p50Ms: 15, p99Ms: 60 }),
    ],
  }
}

export const latency: Part = { name: 'latency', title: 'From a request to its result, one job at a time', run }
