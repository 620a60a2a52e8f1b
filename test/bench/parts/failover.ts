/**
 * Measures failover: the owner of two orchestrators is killed by kill -9 while jobs are accepted. How long does it take
 * until the next step begins?
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import type { Errand, TimedJob } from '../kit/caller-process.ts'
import { Child } from '../kit/child.ts'
import { figure } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { Bench, Figures, Part } from '../part.ts'
import { Distributed } from '../service/distributed.ts'
import { openBenchEngines } from '../service/engines.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'

const ROUNDS = 3
const SLOTS = 64
const ADDS_AT_ONCE = 16
const CUSTOMERS = 20
const JOBS = 1000
const WARM_UP_JOBS = 300
const MOVED_WITHIN_SECONDS = 15

/** How long the load lasts before the owner is killed, milliseconds. */
const KILLED_AFTER_MS = 500

/**
 * Kills the owner while jobs are accepted. @returns seconds until the first step of a job that was posted afterwards
 */
async function failOver(services: Distributed, caller: Child, key: string, jobs: number): Promise<number> {
  const load = services.complete(jobs, ADDS_AT_ONCE, 1)
  await sleep(KILLED_AFTER_MS)
  services.kill('orchestrator')
  const killedAt = Number(process.hrtime.bigint()) / 1e6
  const body = JSON.stringify({ url: VIDEO_URL })
  const errand: Errand = { port: services.port, key, body, jobs: 1, restMs: 0 }
  const [timed] = await caller.call<TimedJob[]>('run', errand)
  const began = (await services.starts()).get(timed?.jobId ?? '') ?? Number.NaN
  // Resolves once all jobs have ended and are settled.
  await load
  return (began - killedAt) / 1000
}

async function measure(bench: Bench): Promise<number[]> {
  await using engines = await openBenchEngines()
  await using services = await Distributed.start({ bench, env: engines.env, slots: SLOTS })
  await using caller = new Child(new URL('../kit/caller-process.ts', import.meta.url), { directory: bench.directory })
  const [customer] = await services.customers(CUSTOMERS)
  await services.complete(WARM_UP_JOBS, ADDS_AT_ONCE)
  const seconds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // The process that was there first is the owner.
    await services.another(['orchestrator'])
    seconds.push(await failOver(services, caller, customer?.key ?? '', Math.ceil(JOBS * bench.scale)))
  }
  return seconds
}

async function run(bench: Bench): Promise<Figures> {
  try {
    const seconds = await measure(bench)
    const longest = Math.max(...seconds)
    return {
      rows: [
        {
          what: `kill -9 of the owner among two orchestrators, under load (${ADDS_AT_ONCE} adds at once): until the next step begins; every job ends and is settled`,
          measured: `${figure(median(seconds))} s; at most ${figure(longest)} s (of ${ROUNDS})`,
          wanted: `≤ ${MOVED_WITHIN_SECONDS} s`,
          met: longest <= MOVED_WITHIN_SECONDS,
        },
      ],
    }
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    return { rows: [{ what: 'failover', measured: `not measured: ${error.message}` }] }
  }
}

export const failover: Part = { name: 'failover', title: 'An owner that is killed', run }
