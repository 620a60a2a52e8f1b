import { chmod } from 'node:fs/promises'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { startTested } from '../kit/start.ts'
import type { Bench } from '../part.ts'
import type { TelemetryVariables } from '../service/open-traced.ts'

/** The parameters with which a contestant is opened. */
export type Opening = {
  /** A folder of its own on the disk. */
  directory: string
  /** Steps of a kind at once. */
  slots: number
}

/** A contest: this many jobs of three steps that do nothing, enqueued one by one. */
export type Contest = { jobs: number; addsAtOnce: number }

/** Jobs or requests per second, and the CPU of each in milliseconds. */
export type Score = { perSecond: number; cpuMs: number }

export type ContestantOptions = Pick<Opening, 'slots'> & {
  addsAtOnce: number
  telemetry?: TelemetryVariables
  /** The name of its CPU profile. */
  name?: string
}

/** A process that completes jobs. */
export type Contestant = AsyncDisposable & { run(jobs: number): Promise<Score> }

/** The process that completes jobs as our service does. */
export const embeddedProcess = new URL('./embedded-process.ts', import.meta.url)

/** Starts a process of this folder, or of that of another checkout. */
export async function startContestant(
  bench: Bench,
  module: URL,
  { addsAtOnce, name, ...more }: ContestantOptions,
): Promise<Contestant> {
  const directory = await bench.folder('jobs')
  // A server may run as another user.
  await chmod(directory, 0o755)
  const child = startTested(bench, module, name === undefined ? {} : { name })
  await child.call('open', { directory, ...more } satisfies Opening)
  return {
    async run(jobs) {
      // The databases are its children, so this includes their time.
      const before = cpuSeconds([child.pid])
      const { seconds } = await child.call<{ seconds: number }>('run', { jobs, addsAtOnce } satisfies Contest)
      return { perSecond: jobs / seconds, cpuMs: ((cpuSeconds([child.pid]) - before) * 1000) / jobs }
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
