import { fileURLToPath } from 'node:url'
import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { type WorkerPool, workerPool } from '#packages/workers/worker-pool.ts'
import { WorkerRefusal } from '#packages/workers/worker-process.ts'

export type SpeechWorkersOptions = {
  /** Python interpreter with pocketsphinx. */
  python: string
  clock: Clock
  log: Logger
  telemetry: Telemetry
  maxWorkers?: number
}

/** Limit of a worker's address space. */
const MAX_MEMORY_BYTES = 400 * 1024 * 1024

const script = fileURLToPath(new URL('./worker.py', import.meta.url))

/** Workers that find and decode speech (worker.py). A refusal by a worker becomes a transient `internal_error`. */
export function speechWorkers(options: SpeechWorkersOptions): WorkerPool {
  const { python, clock, log, telemetry, maxWorkers = 2 } = options
  const program = {
    command: python,
    args: ['-EsB', script, String(MAX_MEMORY_BYTES)],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
  }
  const pool = workerPool({ program, clock, log, telemetry, name: 'speech', maxWorkers })
  return {
    request: async (message, limits) => {
      try {
        return await pool.request(message, limits)
      } catch (error) {
        if (!(error instanceof WorkerRefusal)) throw error
        log.warn({ reason: error.message }, 'a speech worker cannot do what was asked')
        throw new StepError('internal_error', { transient: true, cause: error })
      }
    },
    get pids() {
      return pool.pids
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
