import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { slots } from './slots.ts'
import {
  startWorker,
  WorkerFault,
  type WorkerProcess,
  type WorkerProcessOptions,
  WorkerRefusal,
} from './worker-process.ts'

export type WorkerPoolOptions = WorkerProcessOptions & {
  clock: Clock
  log: Logger
  /** Processes at a time. */
  maxWorkers?: number
  /** Requests waiting for a worker; more are refused. */
  maxWaiting?: number
  /** A worker is replaced after so many requests. */
  maxRequests?: number
  /** A worker without work for so long is ended, so that a service at rest pays for none. */
  idleMs?: number
}

export type WorkerPool = AsyncDisposable & {
  /**
   * Gives a request to a worker, starting one if need be. A worker that dies, hangs or writes garbage is replaced and
   * the request tried once more in the time left.
   * @throws StepError transient `internal_error`; the signal's reason
   */
  request(message: object, limits: { signal: AbortSignal; timeoutMs: number; deadlineAt: number }): Promise<unknown>
  /** Ids of the processes that exist now. */
  readonly pids: number[]
}

/** A bounded pool of long-lived Python workers, started when there is work for them. */
export function workerPool(options: WorkerPoolOptions): WorkerPool {
  const { clock, log, maxWorkers = 2, maxWaiting = 1000, maxRequests = 200, idleMs = 60_000 } = options
  const places = slots(maxWorkers, maxWaiting)
  const all = new Set<WorkerProcess>()
  const idle: { worker: WorkerProcess; timer: NodeJS.Timeout }[] = []
  const stopped = new AbortController()

  function take(): WorkerProcess {
    for (let rested = idle.pop(); rested; rested = idle.pop()) {
      clearTimeout(rested.timer)
      if (rested.worker.alive) return rested.worker
    }
    const worker = startWorker(options)
    all.add(worker)
    void worker.ended.then(() => all.delete(worker))
    return worker
  }

  function giveBack(worker: WorkerProcess): void {
    if (!worker.alive) return
    if (worker.requests >= maxRequests || stopped.signal.aborted) worker.kill()
    else idle.push({ worker, timer: setTimeout(() => worker.kill(), idleMs).unref() })
  }

  async function once(message: object, signal: AbortSignal, timeoutMs: number): Promise<unknown> {
    using _place = await places.take(signal)
    signal.throwIfAborted()
    const worker = take()
    try {
      return await worker.request(message, { signal, timeoutMs })
    } finally {
      giveBack(worker)
    }
  }

  return {
    async request(message, { signal, timeoutMs, deadlineAt }) {
      const either = AbortSignal.any([signal, stopped.signal])
      for (let attempt = 1; ; attempt++) {
        const leftMs = Math.max(1, deadlineAt - clock.now())
        try {
          return await once(message, either, Math.min(timeoutMs, leftMs))
        } catch (error) {
          if (!(error instanceof WorkerFault || error instanceof WorkerRefusal)) throw error
          log.warn({ attempt, reason: error.message }, 'a speech worker failed')
          const again = error instanceof WorkerFault && attempt === 1 && clock.now() < deadlineAt
          if (!again) throw new StepError('internal_error', { transient: true, cause: error })
        }
      }
    },
    get pids() {
      return [...all].flatMap(({ pid }) => pid ?? [])
    },
    async [Symbol.asyncDispose]() {
      stopped.abort(new StepError('internal_error', { transient: true, message: 'The service is stopping.' }))
      for (const { timer } of idle) clearTimeout(timer)
      const ends = [...all].map((worker) => {
        worker.kill()
        return worker.ended
      })
      await Promise.all(ends)
    },
  }
}
