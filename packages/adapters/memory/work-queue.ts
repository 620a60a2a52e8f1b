import type { StepTask } from '#contracts/generated/messages.ts'
import type { Delivery, Lane, Step, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'

export type MemoryWorkQueueOptions = {
  /** Tasks that may wait in one lane of one step; one more is refused. Default 10,000. */
  maxTasksPerLane?: number
  /** The newest dead letters are kept, this many. Default 1,000. */
  maxDeadLetters?: number
}

export type DeadLetter = { task: StepTask; reason: string }

type Taker = { give(task: StepTask): void }

/** The tasks of one step: waiting tasks or waiting takers, never both. */
class StepTasks {
  readonly lanes: Record<Lane, StepTask[]> = { standard: [], priority: [] }
  readonly takers = new Set<Taker>()
}

/** The WorkQueue of one process. Nothing outlives it: the orchestrator publishes again what is due. */
export class MemoryWorkQueue implements WorkQueue {
  readonly #steps = new Map<Step, StepTasks>()
  readonly #maxTasksPerLane: number
  readonly #maxDeadLetters: number
  readonly #deadLetters: DeadLetter[] = []
  readonly #closed = new AbortController()

  constructor(options: MemoryWorkQueueOptions = {}) {
    this.#maxTasksPerLane = options.maxTasksPerLane ?? 10_000
    this.#maxDeadLetters = options.maxDeadLetters ?? 1000
  }

  /** @throws Error the lane is full, or the queue is closed */
  async publish(task: StepTask): Promise<void> {
    if (this.#closed.signal.aborted) throw new Error('the work queue is closed')
    const { lanes, takers } = this.#tasksOf(task.step)
    // A copy, as any other queue would deliver one.
    const copy = { ...task }
    const [taker] = takers
    if (taker !== undefined) return taker.give(copy)
    const lane = lanes[task.lane]
    if (lane.length >= this.#maxTasksPerLane) {
      throw new Error(`${lane.length} ${task.lane} tasks of ${task.step} are waiting already`)
    }
    lane.push(copy)
  }

  consume(step: Step): TaskConsumer {
    const ended = new AbortController()
    return {
      take: (first, signal) => this.#take(step, first, AbortSignal.any([signal, ended.signal, this.#closed.signal])),
      async [Symbol.asyncDispose]() {
        ended.abort(new Error(`the consumer of ${step} is closed`))
      },
    }
  }

  /** What was rejected, oldest first. */
  deadLetters(): readonly DeadLetter[] {
    return [...this.#deadLetters]
  }

  #take(step: Step, first: Lane, signal: AbortSignal): Promise<Delivery> {
    const { lanes, takers } = this.#tasksOf(step)
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const task = lanes[first].shift() ?? lanes[first === 'priority' ? 'standard' : 'priority'].shift()
      if (task !== undefined) return resolve(this.#delivery(task))
      const onAbort = (): void => {
        takers.delete(taker)
        reject(signal.reason)
      }
      const taker: Taker = {
        give: (given) => {
          takers.delete(taker)
          signal.removeEventListener('abort', onAbort)
          resolve(this.#delivery(given))
        },
      }
      takers.add(taker)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  #delivery(task: StepTask): Delivery {
    return {
      task,
      acknowledge: async () => undefined,
      reject: async (reason) => {
        this.#deadLetters.push({ task, reason })
        if (this.#deadLetters.length > this.#maxDeadLetters) this.#deadLetters.shift()
      },
    }
  }

  #tasksOf(step: Step): StepTasks {
    const tasks = this.#steps.get(step) ?? new StepTasks()
    this.#steps.set(step, tasks)
    return tasks
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new Error('the work queue is closed'))
  }
}
