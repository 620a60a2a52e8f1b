import type { StepTask } from '#contracts/generated/messages.ts'
import { perStep, type Step } from '#packages/domain/job/events.ts'
import {
  type DeadLetter,
  type DeadLetters,
  type Delivery,
  type TaskConsumer,
  UnknownDeadLetterError,
  type WorkQueue,
} from '#packages/ports/work-queue.ts'
import { TaskLanes } from '../task-lanes.ts'

export type MemoryWorkQueueOptions = {
  /** How many tasks may wait in one lane of one step; further ones are refused. Default 10,000. */
  maxTasksPerLane?: number
  /** How many dead letters to keep, the newest ones. Default 1,000. */
  maxDeadLetters?: number
  /** Called for each task that is set aside. */
  onDeadLetter?: (step: Step) => void
}

/** The WorkQueue of one process. Tasks end with the process; the orchestrator publishes unfinished ones again. */
export class MemoryWorkQueue implements WorkQueue, DeadLetters {
  readonly system = 'memory'
  readonly #consumers = new Map<symbol, { step: Step; slots: number }>()
  readonly #steps = new Map<Step, TaskLanes<StepTask>>()
  readonly #maxTasksPerLane: number
  readonly #maxDeadLetters: number
  readonly #onDeadLetter: MemoryWorkQueueOptions['onDeadLetter']
  readonly #deadLetters = new Map<string, { task: StepTask; reason: string; at: number }>()
  #rejected = 0
  #closed = false

  constructor(options: MemoryWorkQueueOptions = {}) {
    this.#maxTasksPerLane = options.maxTasksPerLane ?? 10_000
    this.#maxDeadLetters = options.maxDeadLetters ?? 1000
    this.#onDeadLetter = options.onDeadLetter
  }

  /** @throws Error the lane is full, or the queue is closed */
  async publish(task: StepTask): Promise<void> {
    if (this.#closed) throw new Error('the work queue is closed')
    const tasks = this.#tasksOf(task.step)
    const waiting = tasks.count(task.lane)
    if (waiting >= this.#maxTasksPerLane)
      throw new Error(`${waiting} ${task.lane} tasks of ${task.step} are waiting already`)
    // A copy, as every other queue delivers.
    tasks.put(task.lane, { ...task })
  }

  consume(step: Step, slots = 1): TaskConsumer {
    const consumer = Symbol(step)
    const consumers = this.#consumers.set(consumer, { step, slots })
    const tasks = this.#tasksOf(step)
    let closed = false
    return {
      take: async (first, signal) => {
        signal.throwIfAborted()
        if (closed || this.#closed) throw closedError(step)
        return this.#delivery(await tasks.take(first, signal, consumer))
      },
      async [Symbol.asyncDispose]() {
        closed = true
        consumers.delete(consumer)
        tasks.end(closedError(step), consumer)
      },
    }
  }

  async slots(): Promise<Record<Step, number>> {
    const sums = perStep(() => 0)
    for (const { step, slots } of this.#consumers.values()) sums[step] += slots
    return sums
  }

  async listDeadLetters(): Promise<DeadLetter[]> {
    return [...this.#deadLetters].map(([id, { task, reason, at }]) => ({
      id,
      at,
      reason,
      message: JSON.stringify(task),
    }))
  }

  async replayDeadLetter(id: string): Promise<void> {
    const letter = this.#deadLetters.get(id)
    if (letter === undefined) throw new UnknownDeadLetterError(id)
    await this.publish(letter.task)
    this.#deadLetters.delete(id)
  }

  #delivery(task: StepTask): Delivery {
    return {
      task,
      acknowledge: async () => undefined,
      reject: async (reason) => {
        this.#rejected += 1
        this.#deadLetters.set(String(this.#rejected), { task, reason, at: Date.now() })
        const [oldest] = this.#deadLetters.keys()
        if (this.#deadLetters.size > this.#maxDeadLetters && oldest !== undefined) this.#deadLetters.delete(oldest)
        this.#onDeadLetter?.(task.step)
      },
    }
  }

  #tasksOf(step: Step): TaskLanes<StepTask> {
    const tasks = this.#steps.get(step) ?? new TaskLanes<StepTask>()
    this.#steps.set(step, tasks)
    return tasks
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const [step, tasks] of this.#steps) tasks.end(closedError(step))
  }
}

const closedError = (step: Step): Error => new Error(`the consumer of ${step} is closed`)
