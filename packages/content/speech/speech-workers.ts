import { StepError } from '#packages/foundation/errors/step-error.ts'
import { type WorkerPool, type WorkerPoolOptions, workerPool } from '#packages/foundation/workers/worker-pool.ts'
import { WorkerRefusal } from '#packages/foundation/workers/worker-process.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

/** The ports that speech workers need from their process. */
export type SpeechWorkersPorts = {
  /** The Python interpreter that ops/setup installs packages for. */
  python: string
  clock: Clock
  log: Logger
  telemetry: Telemetry
}

type Options = SpeechWorkersPorts & Omit<WorkerPoolOptions, 'program' | 'clock' | 'log' | 'telemetry'> & Script

type Script = {
  /** Path of the worker's Python script, which limits itself as confined_worker.py does. */
  script: string
  /** Its address space, bytes. */
  maxMemoryBytes: number
  args?: readonly string[]
}

const withoutNetwork = new URL('../media/without_network.py', import.meta.url).pathname

/**
 * Workers that read sound. Malicious sound may take them over, so they cannot open sockets, and have limits on memory,
 * processor time and files. A refusal by a worker becomes a transient `internal_error`.
 */
export function speechWorkers({ python, script, maxMemoryBytes, args = [], ...options }: Options): WorkerPool {
  const program = {
    command: python,
    args: ['-I', '-S', withoutNetwork, python, '-EsB', script, String(maxMemoryBytes), ...args],
    // one thread each: further ones would only take memory
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  }
  const pool = workerPool({ program, ...options })
  return {
    request: async (message, limits) => {
      try {
        return await pool.request(message, limits)
      } catch (error) {
        if (!(error instanceof WorkerRefusal)) throw error
        options.log.warn({ workers: options.name, reason: error.message }, 'a worker cannot do what was asked')
        throw new StepError('internal_error', { transient: true, cause: error })
      }
    },
    get pids() {
      return pool.pids
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
