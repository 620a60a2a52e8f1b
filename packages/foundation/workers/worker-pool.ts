import { LRUCache } from 'lru-cache'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import { unlessAborted } from '#packages/foundation/concurrency/unless-aborted.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import {
  startWorker,
  WorkerFault,
  type WorkerProcess,
  type WorkerProgram,
  type WorkerRequestLimits,
} from './worker-process.ts'

export type WorkerPoolOptions = {
  program: WorkerProgram
  clock: Clock
  log: Logger
  telemetry: Telemetry
  /** The name of the workers in the log and in metrics. */
  name: string
  /** The most processes at a time. */
  maxWorkers?: number
  /** The most requests that wait for a worker; further ones are refused. */
  maxWaiting?: number
  /** A worker is replaced after this many requests. */
  maxRequests?: number
  /** A worker without work for this long is ended, so that an idle service needs no memory for workers. */
  idleMs?: number
  /** Whether a share may have all workers while no other share waits. */
  lends?: boolean
}

export type WorkerRequest = WorkerRequestLimits & {
  /** Milliseconds since 1970. */
  deadlineAt: number
  /**
   * The subjects of this request, the narrowest first. The request goes to the idle worker that last served the
   * narrowest of them. If none has served any, it goes to a new worker if there is room, else to the one idle for the
   * longest.
   */
  about?: readonly string[]
  /**
   * The shares that this request belongs to, its owner's first. Unless workers are lent, no share ever has all of
   * several workers. Among waiting requests, the share with the fewest workers is next; a request counts by its first
   * share.
   */
  shares?: readonly string[]
  /** Called when the request starts or stops waiting for its shares. */
  onWait?: OnWait | undefined
  /**
   * For short work: if the request is aborted, the worker finishes it and the answer is dropped. Without this, the
   * worker would be killed.
   */
  finishes?: boolean
}

type Asked = {
  message: object
  about: readonly string[]
  shares: readonly string[]
  onWait: OnWait | undefined
  /** Aborts the work itself, after a worker has begun it. */
  workSignal: AbortSignal
}

export type WorkerPool = AsyncDisposable & {
  /**
   * Gives a request to a worker, and starts one if necessary. A worker that dies, hangs or writes garbage is replaced,
   * and the request is tried once more in the remaining time.
   * @throws StepError transient `internal_error`; WorkerRefusal; the signal's reason; what `onAsk` rejects with
   */
  request(message: object, limits: WorkerRequest): Promise<unknown>
  /** Ids of the processes that exist now. */
  readonly pids: number[]
}

type Resting = { worker: WorkerProcess; timer: NodeJS.Timeout }

/** How many subjects of a worker's requests are remembered. */
const MAX_REMEMBERED = 64

/** A bounded pool of long-lived workers, started when there is work for them. */
export function workerPool(options: WorkerPoolOptions): WorkerPool {
  const {
    clock,
    log,
    telemetry,
    name,
    maxWorkers = 2,
    maxWaiting = 1000,
    maxRequests = 200,
    idleMs = 60_000,
    lends = false,
  } = options
  const permits = new Semaphore(maxWorkers, { maxWaiting, lends })
  const all = new Set<WorkerProcess>()
  /** The worker that has been idle for the longest comes first. */
  let idle: Resting[] = []
  const served = new WeakMap<WorkerProcess, LRUCache<string, true>>()
  const stopped = new AbortController()

  function take(about: readonly string[]): WorkerProcess {
    idle = idle.filter(({ worker }) => worker.alive)
    const chosen = fitting(about) ?? (hasRoom() ? undefined : idle[0])
    if (!chosen) return start()
    idle = idle.filter((one) => one !== chosen)
    clearTimeout(chosen.timer)
    return chosen.worker
  }

  /** A new worker: idle ones may have died together with the failed one, unnoticed so far. */
  function takeNew(): WorkerProcess {
    idle = idle.filter(({ worker }) => worker.alive)
    const oldest = hasRoom() ? undefined : idle.shift()
    if (oldest) clearTimeout(oldest.timer)
    oldest?.worker.kill()
    return start()
  }

  function fitting(about: readonly string[]): Resting | undefined {
    if (about.length === 0) return idle.at(-1)
    for (const what of about) {
      const found = idle.findLast(({ worker }) => served.get(worker)?.has(what))
      if (found) return found
    }
    return undefined
  }

  const hasRoom = () => [...all].filter(({ alive }) => alive).length < maxWorkers

  function start(): WorkerProcess {
    const worker = startWorker(options.program)
    all.add(worker)
    served.set(worker, new LRUCache({ max: MAX_REMEMBERED }))
    void worker.ended.then(() => all.delete(worker))
    return worker
  }

  function giveBack(worker: WorkerProcess, about: readonly string[]): void {
    if (!worker.alive) return
    if (worker.requests >= maxRequests || stopped.signal.aborted) {
      worker.kill()
      return
    }
    for (const what of about) served.get(worker)?.set(what, true)
    idle.push({ worker, timer: setTimeout(() => worker.kill(), idleMs).unref() })
  }

  async function once(
    { message, about, shares, onWait, workSignal }: Asked,
    limits: WorkerRequestLimits,
    /** Its first worker failed. */
    isAgain: boolean,
  ): Promise<unknown> {
    using _place = await permits.acquire(limits.signal, shares, onWait)
    limits.signal.throwIfAborted()
    const worker = isAgain ? takeNew() : take(about)
    const startedAt = performance.now()
    try {
      return await worker.request(message, { ...limits, signal: workSignal })
    } finally {
      telemetry.record(metrics.workerDuration, (performance.now() - startedAt) / 1000, { [names.pool]: name })
      giveBack(worker, about)
    }
  }

  async function twice(asked: Asked, limits: WorkerRequestLimits, deadlineAt: number): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const timeoutMs = Math.min(limits.timeoutMs, Math.max(1, deadlineAt - clock.now()))
      try {
        return await once(asked, { ...limits, timeoutMs }, attempt > 1)
      } catch (error) {
        if (!(error instanceof WorkerFault)) throw error
        telemetry.add(metrics.workersKilled, 1, { [names.pool]: name })
        log.warn({ workers: name, attempt, reason: error.message }, 'a worker failed')
        if (attempt > 1 || clock.now() >= deadlineAt)
          throw new StepError('internal_error', { transient: true, cause: error })
      }
    }
  }

  return {
    async request(message, { deadlineAt, about = [], shares = [], onWait, finishes = false, ...limits }) {
      const signal = AbortSignal.any([limits.signal, stopped.signal])
      const workSignal = finishes ? stopped.signal : signal
      const work = twice({ message, about, shares, onWait, workSignal }, { ...limits, signal }, deadlineAt)
      return finishes ? unlessAborted(work, signal) : work
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
