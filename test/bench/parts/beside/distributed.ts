import type { Errand, TimedJob } from '../../kit/caller-process.ts'
import { Child } from '../../kit/child.ts'
import { cpuSeconds } from '../../kit/cpu-time.ts'
import { milliseconds, perSecond } from '../../kit/figures.ts'
import { percentile } from '../../kit/percentiles.ts'
import { inTurn } from '../../kit/rounds.ts'
import type { Bench, Row } from '../../part.ts'
import { Distributed } from '../../service/distributed.ts'
import { openBenchEngines } from '../../service/engines.ts'
import { VIDEO_URL } from '../../service/noop-steps.ts'
import { lessIsBetter, moreIsBetter } from './compare.ts'

const SLOTS = 64
const ADDS_AT_ONCE = 64
const CUSTOMERS = 20
const ROUNDS = 4
const JOBS = 1000
const WARM_UP_JOBS = 500

const SINGLE_JOBS = 100
const SINGLE_WARM_UP_JOBS = 30
const REST_MS = 15

/**
 * The distributed mode of one checkout. It has servers of its own, because otherwise each checkout would follow the
 * other's events.
 */
class Side implements AsyncDisposable {
  readonly serviceMs: number[] = []
  readonly serverMs: number[] = []
  readonly #end: AsyncDisposableStack
  readonly #services: Distributed
  readonly #servers: readonly number[]
  readonly #key: string

  private constructor(end: AsyncDisposableStack, services: Distributed, servers: readonly number[], key: string) {
    this.#end = end
    this.#services = services
    this.#servers = servers
    this.#key = key
  }

  static async start(bench: Bench, checkout?: URL): Promise<Side> {
    await using opening = new AsyncDisposableStack()
    const engines = opening.use(await openBenchEngines())
    const services = opening.use(await Distributed.start({ bench, env: engines.env, slots: SLOTS, checkout }))
    const [customer] = await services.customers(CUSTOMERS)
    await services.complete(WARM_UP_JOBS, ADDS_AT_ONCE)
    return new Side(opening.move(), services, engines.pids, customer?.key ?? '')
  }

  /** Notes the CPU of each job. @returns jobs per second */
  async complete(jobs: number): Promise<number> {
    const services = this.#services.pids.map(([, pid]) => pid)
    const before = [cpuSeconds(services), cpuSeconds(this.#servers)] as const
    const seconds = await this.#services.complete(jobs, ADDS_AT_ONCE)
    this.serviceMs.push(((cpuSeconds(services) - before[0]) * 1000) / jobs)
    this.serverMs.push(((cpuSeconds(this.#servers) - before[1]) * 1000) / jobs)
    return jobs / seconds
  }

  /** The time from the request to the end, for one job at a time. @returns the median, milliseconds */
  async oneByOne(caller: Child, jobs: number): Promise<number> {
    const body = JSON.stringify({ url: VIDEO_URL })
    const errand: Errand = { port: this.#services.port, key: this.#key, body, restMs: REST_MS, jobs }
    const timed = (await caller.call<TimedJob[]>('run', errand)).slice(SINGLE_WARM_UP_JOBS)
    const took = timed.map(({ postedAt, completedAt }) => completedAt - postedAt)
    return percentile(took, 0.5)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end.disposeAsync()
  }
}

/** Jobs in the distributed mode of this checkout, in turn with those of another. */
export async function distributedBeside(bench: Bench, checkout: URL): Promise<Row[]> {
  await using ours = await Side.start(bench)
  await using theirs = await Side.start(bench, checkout)
  await using caller = new Child(new URL('../../kit/caller-process.ts', import.meta.url), {
    directory: bench.directory,
  })
  const jobs = Math.ceil(JOBS * bench.scale)
  const speed = await inTurn(ROUNDS, { ours: () => ours.complete(jobs), theirs: () => theirs.complete(jobs) })
  const single = SINGLE_WARM_UP_JOBS + Math.ceil(SINGLE_JOBS * bench.scale)
  const latency = await inTurn(ROUNDS, {
    ours: () => ours.oneByOne(caller, single),
    theirs: () => theirs.oneByOne(caller, single),
  })
  return [
    moreIsBetter(
      `distributed: complete job of 3 no-op steps (${ADDS_AT_ONCE} adds at once)`,
      perSecond,
      speed.ours,
      speed.theirs,
    ),
    lessIsBetter('the same: CPU of all services', milliseconds, ours.serviceMs, theirs.serviceMs),
    lessIsBetter('the same: CPU of the servers started here', milliseconds, ours.serverMs, theirs.serverMs),
    lessIsBetter(
      'distributed: one job at a time: POST sent → completed, as a waiting poll sees it; p50',
      milliseconds,
      latency.ours,
      latency.theirs,
    ),
  ]
}
