/**
 * `npm run test:faults [-- N [NAME]]`: faults of a distributed service, on real processes and under load, each N times
 * (default 5). NAME: only the faults with this text in their names. Each time, every accepted job ends once and as it
 * should, the ledgers add up, and the views equal a replay. The last line is `N passed, N failed`; exits 1 if one
 * failed. SEED repeats the choices of a run, not its timing.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import { Random } from '#test/doubles/random.ts'
import { Cluster } from './cluster.ts'
import { Deployment } from './deployment.ts'
import { type Fault, faults } from './faults.ts'
import { Load, startOutside } from './load.ts'
import { assertNothingIsLost } from './verify.ts'

const ROUNDS = 5

/** Jobs that are accepted before a fault, and again after it. */
const JOBS_BEFORE = 4
const JOBS_AFTER = 2

/**
 * Few slots on few cores, and a short lease: a step ends within seconds, and so does the claim of a dead worker. The
 * window is longer than the test waits, so that a job that is slow on a busy machine does not count as lost.
 */
const settings = {
  RATE_HEAVY_FACTOR: '100',
  RATE_LIGHT_PER_MINUTE: '100000',
  RATE_POLLS_PER_MINUTE: '100000',
  // One organization has half of them.
  FETCH_SLOTS: '4',
  CAPTION_SLOTS: '4',
  SPEECH_SLOTS: '2',
  EXTRACT_SLOTS: '2',
  LEASE_SECONDS: '6',
  JOB_WINDOW_SECONDS: '600',
}

/** Measures how long each part of a round takes. */
class Stopwatch {
  readonly parts: string[] = []
  #from = performance.now()

  lap(part: string): void {
    this.parts.push(`${part} ${Math.round((performance.now() - this.#from) / 1000)}`)
    this.#from = performance.now()
  }
}

/** Everything that a fault acts on: engines, services and the outside world. */
async function startHarness(cluster: Cluster) {
  await using opening = new AsyncDisposableStack()
  const outside = opening.use(await startOutside())
  const deployment = opening.use(await Deployment.start({ ...cluster.variables, ...outside.variables, ...settings }))
  const open = opening.move()
  return {
    cluster,
    outside,
    deployment,
    /** @throws Error if the services did not stop as they should */
    async stop(): Promise<string> {
      const status = await deployment.stop()
      if (status !== 0) throw new Error(`stopped with status ${status}`)
      if (deployment.orphans.length > 0) throw new Error(`left ${deployment.orphans.length} processes behind`)
      return 'every process has ended'
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

type Harness = Awaited<ReturnType<typeof startHarness>>

/** @throws Error naming what does not hold */
async function round({ cluster, deployment, outside }: Harness, fault: Fault, seed: number): Promise<string> {
  const watch = new Stopwatch()
  const { EVENT_STORE_URL = '', MONGODB_URL = '' } = cluster.variables
  await using load = await Load.start(deployment.base, EVENT_STORE_URL, outside, seed)
  await load.accepted(JOBS_BEFORE)
  watch.lap('before')
  await fault.happen({ cluster, deployment, load, chance: new Random(`${seed}`) })
  watch.lap('the fault')
  await load.accepted(JOBS_AFTER)
  await load.stop()
  watch.lap('after')
  const { jobs, takenOver } = await assertNothingIsLost(load, MONGODB_URL)
  watch.lap('checks')
  return `${jobs} jobs, ${takenOver} steps taken over (seconds: ${watch.parts.join(', ')})`
}

/** Prints one line for each round. */
class Outcomes {
  passed = 0
  failed = 0

  /** @returns whether it passed */
  async note(what: string, act: () => Promise<string>, output: () => string): Promise<boolean> {
    const from = performance.now()
    const seconds = (): string => `${Math.round((performance.now() - from) / 1000)} s`
    try {
      const outcome = await act()
      console.log(`ok   ${what}, ${seconds()}: ${outcome}`)
      this.passed += 1
      return true
    } catch (error) {
      const log = join(tmpdir(), `faults-${process.pid}-${this.failed}.log`)
      await writeFile(log, output())
      console.log(`FAIL ${what}, ${seconds()}: ${(error as Error).stack}\n(what the services said: ${log})`)
      this.failed += 1
      return false
    }
  }
}

type Round = { fault: Fault; seed: number }

/**
 * Runs rounds one after another on the same services, which have to stop properly after the last.
 * @returns the rounds that are left after a failed one
 */
async function rounds(cluster: Cluster, todo: readonly Round[], outcomes: Outcomes): Promise<readonly Round[]> {
  await using harness = await startHarness(cluster)
  const output = (): string => harness.deployment.output
  for (const [n, { fault, seed }] of todo.entries())
    if (!(await outcomes.note(fault.name, () => round(harness, fault, seed), output))) return todo.slice(n + 1)
  await outcomes.note('the stop after the last', () => harness.stop(), output)
  return []
}

async function main(times: number, wanted: string, seed: number): Promise<void> {
  const outcomes = new Outcomes()
  const chosen = faults.filter(({ name }) => name.includes(wanted))
  let left: readonly Round[] = chosen.flatMap((fault) =>
    Array.from({ length: times }, (_, n) => ({ fault, seed: seed + n })),
  )
  while (left.length > 0) {
    // A failed round leaves its errors in the store and its engines stopped, so the next round starts on new engines.
    await using cluster = await Cluster.start()
    for (const label of cluster.labels) console.log(label)
    left = await rounds(cluster, left, outcomes)
  }
  const { passed, failed } = outcomes
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1
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
