import type { StepTask } from '#contracts/generated/messages.ts'
import type { Delivery, Lane, Step, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'

export type MemoryWorkQueueOptions = {
  /** Tasks that may wait in one lane of one step; one more is refused. Default 10,000. */
  maxTasksPerLane?: number
  /** The newest dead letters are kept, this many. Default 1,000. */
  maxDeadLetters?: number
}

export type DeadLetter = { task: StepTask; reason: string }

type Taker = { consumer: symbol; give(task: StepTask): void; end(reason: Error): void }

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
  #closed = false

  constructor(options: MemoryWorkQueueOptions = {}) {
    this.#maxTasksPerLane = options.maxTasksPerLane ?? 10_000
    this.#maxDeadLetters = options.maxDeadLetters ?? 1000
  }

  /** @throws Error the lane is full, or the queue is closed */
  async publish(task: StepTask): Promise<void> {
    if (this.#closed) throw new Error('the work queue is closed')
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
    const consumer = Symbol(step)
    let closed = false
    const endWaiting = (): void => this.#endTakers(step, (taker) => taker.consumer === consumer)
    return {
      take: async (first, signal) => {
        signal.throwIfAborted()
        if (closed || this.#closed) throw new Error(`the consumer of ${step} is closed`)
        return this.#takeWaiting(step, first) ?? this.#wait(step, consumer, signal)
      },
      async [Symbol.asyncDispose]() {
        closed = true
        endWaiting()
      },
    }
  }

  /** What was rejected, oldest first. */
  deadLetters(): readonly DeadLetter[] {
    return [...this.#deadLetters]
  }

  #takeWaiting(step: Step, first: Lane): Delivery | undefined {
    const { lanes } = this.#tasksOf(step)
    const task = lanes[first].shift() ?? lanes[first === 'priority' ? 'standard' : 'priority'].shift()
    return task && this.#delivery(task)
  }

  #wait(step: Step, consumer: symbol, signal: AbortSignal): Promise<Delivery> {
    const { takers } = this.#tasksOf(step)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        takers.delete(taker)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => taker.end(signal.reason)
      const taker: Taker = {
        consumer,
        give: (task) => {
          leave()
          resolve(this.#delivery(task))
        },
        end: (reason) => {
          leave()
          reject(reason)
        },
      }
      takers.add(taker)
      signal.addEventListener('abort', onAbort)
    })
  }

  #endTakers(step: Step, which: (taker: Taker) => boolean): void {
    const ended = [...this.#tasksOf(step).takers].filter(which)
    for (const taker of ended) taker.end(new Error(`the consumer of ${step} is closed`))
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
    this.#closed = true
    for (const step of this.#steps.keys()) this.#endTakers(step, () => true)
  }
}
