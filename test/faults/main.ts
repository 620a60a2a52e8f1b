/**
 * `npm run test:faults [-- N [NAME]]`: what happens to a distributed service, on real processes and under load, each
 * fault N times (default 5); NAME: only the faults whose name contains it. Each time every accepted job ends once and as
 * it should, the ledgers add up, and the views equal a replay. The last line is `N passed, N failed`; exits 1 where one
 * failed. SEED repeats the choices of a run, not its timing.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import { Seeded } from '#test/doubles/service/seeded.ts'
import { Cluster } from './cluster.ts'
import { Deployment } from './deployment.ts'
import { type Fault, faults } from './faults.ts'
import { Load, startOutside } from './load.ts'
import { assertNothingIsLost } from './verify.ts'

const ROUNDS = 5

/** So many jobs are accepted before a fault, and again after it. */
const JOBS_AROUND = 8

/**
 * Few slots on few cores, and a short lease: a step ends within seconds, and so does the claim of a dead worker. A window
 * longer than anybody waits here: a job that is slow on a busy machine is not taken for one that was lost.
 */
const settings = {
  RATE_HEAVY_FACTOR: '100',
  RATE_LIGHT_PER_MINUTE: '100000',
  RATE_POLLS_PER_MINUTE: '100000',
  FETCH_SLOTS: '2',
  CAPTION_SLOTS: '2',
  SPEECH_SLOTS: '2',
  LEASE_SECONDS: '6',
  JOB_WINDOW_SECONDS: '600',
}

/** Tells how long each part of a round takes. */
class Stopwatch {
  readonly parts: string[] = []
  #from = performance.now()

  lap(part: string): void {
    this.parts.push(`${part} ${Math.round((performance.now() - this.#from) / 1000)}`)
    this.#from = performance.now()
  }
}

/** @throws Error what does not hold */
async function round(cluster: Cluster, fault: Fault, seed: number): Promise<string> {
  const watch = new Stopwatch()
  await cluster.mend()
  await using outside = await startOutside()
  const { variables } = cluster
  const speech = { SPEECH_BASE_URL: outside.speechUrl, SPEECH_API_KEY: 'sk-faults' }
  const env = { ...variables, ...settings, ...speech, EGRESS_PROXY: outside.proxyUrl }
  await using deployment = await Deployment.start(env)
  watch.lap('start')
  try {
    await using load = await Load.start(deployment.base, variables.EVENT_STORE_URL ?? '', outside, seed)
    await load.accepted(JOBS_AROUND)
    watch.lap('before')
    await fault.happen({ cluster, deployment, load, chance: new Seeded(seed) })
    watch.lap('fault')
    await load.accepted(JOBS_AROUND)
    await load.stop()
    watch.lap('after')
    const { jobs, takenOver } = await assertNothingIsLost(load, variables.MONGODB_URL ?? '')
    watch.lap('verify')
    const status = await deployment.stop()
    if (status !== 0) throw new Error(`stopped with status ${status}`)
    if (deployment.orphans.length > 0) throw new Error(`left ${deployment.orphans.length} processes behind`)
    watch.lap('stop')
    return `${jobs} jobs, ${takenOver} steps taken over (seconds: ${watch.parts.join(', ')})`
  } catch (error) {
    const log = join(tmpdir(), `faults-${seed}.log`)
    await writeFile(log, deployment.output)
    throw new Error(`${(error as Error).message}\n(what the services said: ${log})`, { cause: error })
  }
}

async function main(times: number, wanted: string, seed: number): Promise<void> {
  const outcomes: boolean[] = []
  let cluster = await Cluster.start()
  try {
    for (const fault of faults.filter(({ name }) => name.includes(wanted)))
      for (let n = 0; n < times; n++) {
        const from = performance.now()
        const told = await round(cluster, fault, seed + n).catch((error: unknown) => error as Error)
        const passed = typeof told === 'string'
        outcomes.push(passed)
        const seconds = Math.round((performance.now() - from) / 1000)
        console.log(
          `${passed ? 'ok  ' : 'FAIL'} ${fault.name} (${n + 1} of ${times}, ${seconds} s): ${passed ? told : told.stack}`,
        )
        if (passed) continue
        // What went wrong stays in the store: the next one starts on an empty one.
        await cluster[Symbol.asyncDispose]()
        cluster = await Cluster.start()
      }
  } finally {
    await cluster[Symbol.asyncDispose]()
  }
  const passed = outcomes.filter((one) => one).length
  console.log(`${passed} passed, ${outcomes.length - passed} failed`)
  process.exitCode = passed > 0 && passed === outcomes.length ? 0 : 1
}

const [times = `${ROUNDS}`, wanted = ''] = process.argv.slice(2)
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
console.log(`Faults on real processes, SEED=${seed}`)
try {
  await main(Number(times), wanted, seed)
} catch (error) {
  if (!(error instanceof EngineUnavailableError)) throw error
  console.log(`the faults cannot be run here: ${error.message}`)
  process.exitCode = 1
}
