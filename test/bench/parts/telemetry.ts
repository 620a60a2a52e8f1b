/**
 * The cost of exporting traces and metrics. The same process runs in turn without an endpoint, with a tenth of the
 * traces recorded, and with all of them. Another process receives the exports; its CPU is not counted.
 */
import { setTimeout as rest } from 'node:timers/promises'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import { Service } from '#test/doubles/service/service.ts'
import type { Child } from '../kit/child.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { figure, perSecond, times } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { inTurn, ratioOf } from '../kit/rounds.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import type { Contest } from '../rivals/rival.ts'
import { type Opened, post } from '../service/contestant.ts'
import type { TelemetryVariables } from '../service/open-traced.ts'
import type { ServiceOpened, ServiceOpening } from '../service/service-process.ts'
import { pollsOf } from './polling.ts'

const CONNECTIONS = 64
const CUSTOMERS = 100
const ROUNDS = 15
const ROUND_MS = 1000
const SLOTS = 64
const JOBS = 1000
const COUNTED_JOBS = 20
const POLLED_JOBS = 500
const STARTS = 5
const REST_MS = 5000

const TENTH_RATIO = 0.9
const SPAN_MICROSECONDS = 25
const MEMORY_MB = 40
const START_SECONDS = 0.4

const ways = ['nothing', 'tenth', 'all'] as const
type Way = (typeof ways)[number]

const ingress = new URL('../service/ingress-process.ts', import.meta.url)
const service = new URL('../service/service-process.ts', import.meta.url)
const embedded = new URL('../rivals/embedded-process.ts', import.meta.url)
const sink = new URL('../service/otlp-sink-process.ts', import.meta.url)

const sampling = (endpoint: string, share: string): TelemetryVariables => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: share,
  // Room for the spans of one second of this load: dropped spans would cost less.
  OTEL_BSP_MAX_QUEUE_SIZE: '200000',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2048',
  OTEL_BSP_SCHEDULE_DELAY: '200',
})

const variablesOf = (endpoint: string): Record<Way, TelemetryVariables> => ({
  nothing: {},
  tenth: sampling(endpoint, '0.1'),
  all: sampling(endpoint, '1'),
})

/** The work of a process, and the time it took. */
type Done = { count: number; seconds: number }
type Measured = { perSecond: Record<Way, number[]>; cpuMs: Record<Way, number[]> }

/** Measures the three processes in turn, after a warm-up round. */
async function measure(children: Record<Way, Child>, act: (way: Way) => Promise<Done>): Promise<Measured> {
  const cpuMs: Measured['cpuMs'] = { nothing: [], tenth: [], all: [] }
  const of = (way: Way) => async (): Promise<number> => {
    const before = cpuSeconds([children[way].pid])
    const { count, seconds } = await act(way)
    cpuMs[way].push(((cpuSeconds([children[way].pid]) - before) * 1000) / count)
    return count / seconds
  }
  for (const way of ways) await act(way)
  const all = await inTurn(ROUNDS, { nothing: of('nothing'), tenth: of('tenth'), all: of('all') })
  return { perSecond: all, cpuMs }
}

function rowsOf(what: string, { perSecond: speeds, cpuMs }: Measured): Row[] {
  const row = (way: Way, name: string): Row => {
    const ratio = ratioOf(speeds[way], speeds.nothing)
    const isBound = way === 'tenth'
    return {
      what: `${what}, ${name}; CPU for each`,
      measured: `${perSecond(median(speeds[way]))}; ${figure(median(cpuMs[way]))} ms`,
      against: `nothing exported: ${perSecond(median(speeds.nothing))}; ${figure(median(cpuMs.nothing))} ms`,
      ratio: times(ratio),
      ...(isBound && { wanted: `≥ ${TENTH_RATIO} ×`, met: ratio >= TENTH_RATIO }),
    }
  }
  return [row('tenth', 'a tenth of the traces recorded'), row('all', 'all traces recorded')]
}

/** Three processes of a module, each with its own export settings. */
async function startAll(end: AsyncDisposableStack, bench: Bench, module: URL): Promise<Record<Way, Child>> {
  const start = (way: Way): Child => end.use(startTested(bench, module, { name: `telemetry-${way}` }))
  return { nothing: start('nothing'), tenth: start('tenth'), all: start('all') }
}

/** The requests to one process over HTTP, and the answer that it has to give. */
type Asked = { port: number; requests: RawRequest[]; status: number }

/** Measures requests to three processes. */
function requested(bench: Bench, children: Record<Way, Child>, asked: Record<Way, Asked>): Promise<Measured> {
  return measure(children, async (way) => {
    await using load = startLoad(bench)
    const until = { afterMs: ROUND_MS * bench.scale }
    const { count, perSecond: speed } = await load.run({ ...asked[way], connections: CONNECTIONS, end: until })
    return { count, seconds: count / speed }
  })
}

async function accepts(bench: Bench, variables: Record<Way, TelemetryVariables>): Promise<Row[]> {
  await using end = new AsyncDisposableStack()
  const children = await startAll(end, bench, ingress)
  const asked = {} as Record<Way, Asked>
  for (const way of ways) {
    const dataDir = await bench.folder('telemetry')
    const opening = { dataDir, customers: CUSTOMERS, telemetry: variables[way] }
    const { port, customers } = await children[way].call<Opened>('open', opening)
    asked[way] = { port, requests: customers.map(post), status: 202 }
  }
  return rowsOf('durable accepts', await requested(bench, children, asked))
}

async function polls(bench: Bench, variables: Record<Way, TelemetryVariables>): Promise<Row[]> {
  await using end = new AsyncDisposableStack()
  const children = await startAll(end, bench, service)
  const asked = {} as Record<Way, Asked>
  for (const way of ways) {
    const dataDir = await bench.folder('telemetry')
    const opening: ServiceOpening = { dataDir, customers: CUSTOMERS, slots: SLOTS, telemetry: variables[way] }
    const { port, customers } = await children[way].call<ServiceOpened>('open', opening)
    const ids = await children[way].call<string[]>('complete', { customers, jobs: POLLED_JOBS })
    asked[way] = { port, requests: pollsOf(ids, customers), status: 200 }
  }
  return rowsOf('polls', await requested(bench, children, asked))
}

/** Spans of a job of three steps, by the process's own count. */
async function spansOfAJob(bench: Bench): Promise<number> {
  await using receiver = await OtlpReceiver.start()
  await using child = startTested(bench, embedded)
  const directory = await bench.folder('telemetry')
  await child.call('open', { directory, slots: SLOTS, telemetry: receiver.env })
  const contest: Contest = { jobs: COUNTED_JOBS, addsAtOnce: 1 }
  await child.call('run', contest)
  // Spans that still wait are sent at the end.
  await child[Symbol.asyncDispose]()
  const jobs = new Set(receiver.spans.flatMap(({ name, traceId }) => (name === 'job' ? [traceId] : [])))
  return receiver.spans.filter(({ traceId }) => jobs.has(traceId)).length / jobs.size
}

async function completeJobs(bench: Bench, variables: Record<Way, TelemetryVariables>): Promise<Row[]> {
  const spans = await spansOfAJob(bench)
  await using end = new AsyncDisposableStack()
  const children = await startAll(end, bench, embedded)
  for (const way of ways) {
    const directory = await bench.folder('telemetry')
    await children[way].call('open', { directory, slots: SLOTS, telemetry: variables[way] })
  }
  const contest: Contest = { jobs: Math.ceil(JOBS * bench.scale), addsAtOnce: CONNECTIONS }
  const measured = await measure(children, async (way) => {
    const { seconds } = await children[way].call<{ seconds: number }>('run', contest)
    return { count: contest.jobs, seconds }
  })
  const { all, nothing } = measured.cpuMs
  const microseconds = (median(all.map((cpuMs, round) => cpuMs - (nothing[round] ?? 0))) * 1000) / spans
  return [
    ...rowsOf('complete jobs of 3 no-op steps', measured),
    {
      what: 'CPU for each span, of such a job with all of them recorded',
      measured: `${figure(microseconds)} µs, ${figure(spans)} spans a job`,
      wanted: `≤ ${SPAN_MICROSECONDS} µs, ≤ 20 spans`,
      met: microseconds <= SPAN_MICROSECONDS && spans <= 20,
    },
  ]
}

type Standing = { seconds: number; megabytes: number }

/** How long a fresh service takes to answer, and its memory at rest. */
async function standingOf(env: TelemetryVariables): Promise<Standing> {
  await using service = await Service.prepare({ env })
  const from = performance.now()
  await service.start()
  const seconds = (performance.now() - from) / 1000
  await rest(REST_MS)
  return { seconds, megabytes: service.memory() / 1e6 }
}

async function atRest(variables: Record<Way, TelemetryVariables>): Promise<Row[]> {
  const standings: Record<'off' | 'on', Standing[]> = { off: [], on: [] }
  for (let n = 0; n < STARTS; n++) {
    standings.off.push(await standingOf({}))
    standings.on.push(await standingOf(variables.all))
  }
  const of = (way: 'off' | 'on', key: keyof Standing): number => median(standings[way].map((each) => each[key]))
  const memory = of('on', 'megabytes') - of('off', 'megabytes')
  const start = of('on', 'seconds') - of('off', 'seconds')
  return [
    {
      what: 'memory of the embedded service at rest, exporting',
      measured: `${figure(of('on', 'megabytes'))} MB`,
      against: `nothing exported: ${figure(of('off', 'megabytes'))} MB`,
      ratio: `+ ${figure(memory)} MB`,
      wanted: `≤ + ${MEMORY_MB} MB`,
      met: memory <= MEMORY_MB,
    },
    {
      what: 'its start',
      measured: `${figure(of('on', 'seconds'))} s`,
      against: `${figure(of('off', 'seconds'))} s`,
      ratio: `+ ${figure(start)} s`,
      wanted: `≤ + ${START_SECONDS} s`,
      met: start <= START_SECONDS,
    },
  ]
}

async function run(bench: Bench): Promise<Figures> {
  await using taker = startTested(bench, sink)
  const variables = variablesOf(`http://127.0.0.1:${await taker.call<number>('open')}`)
  const rows = [
    ...(await accepts(bench, variables)),
    ...(await polls(bench, variables)),
    ...(await completeJobs(bench, variables)),
    ...(await atRest(variables)),
  ]
  return { rows }
}

export const telemetry: Part = { name: 'telemetry', title: 'Exporting traces and metrics', run }
