import type { StepTask } from '#contracts/generated/messages.ts'
import type { Lane, Step } from '#packages/domain/job/events.ts'

/** A delivered task. The worker calls exactly one of the two methods, once. */
export type Delivery = {
  task: StepTask
  /** The queue may drop the task: it was claimed, or it is no longer due. */
  acknowledge(): Promise<void>
  /** The task cannot be handled. It goes to the dead letters with the reason, and is acknowledged. */
  reject(reason: string): Promise<void>
}

/**
 * Carries tasks from the orchestrator to the workers, one topic per step and lane.
 *
 * It promises little, so that little can break. Normally a published task is delivered to one worker of its step, but
 * it may be lost, repeated, delayed or overtaken. The events decide whether a delivery is still due, and lost tasks are
 * published again. The promises are: a task is delivered only to consumers of its step; every lane of a step is served;
 * once its only consumer has acknowledged a task, it is not delivered again while that consumer lives.
 */
export interface WorkQueue extends AsyncDisposable {
  /** The name of the queue's technology in spans: `kafka`, `memory`. */
  readonly system: string

  /** Resolves when the queue has accepted the task. */
  publish(task: StepTask): Promise<void>

  /**
   * A consumer of one step. All consumers of a step share its tasks, in this process and in others.
   * @param slots how many tasks it works on at once; default 1
   */
  consume(step: Step, slots?: number): TaskConsumer

  /**
   * The slots of all consumers that may receive tasks, in this process and in others, by step. Leaves out steps that
   * are not known now. It may be some seconds old. @throws Error it cannot be found out
   */
  slots(): Promise<Partial<Record<Step, number>>>
}

export interface TaskConsumer extends AsyncDisposable {
  /**
   * Waits for a task: of the lane `first` if one is there, otherwise of another. Calls may overlap; each takes its own
   * task.
   * @throws the signal's reason when it is aborted
   */
  take(first: Lane, signal: AbortSignal): Promise<Delivery>
}

/** A message that could not be handled. */
export type DeadLetter = {
  id: string
  /** When it was set aside, milliseconds since 1970. */
  at: number
  /** Why. */
  reason: string
  /** The message as it arrived: the JSON of a task, or something else. */
  message: string
}

/** There is no such dead letter, or it was replayed or dropped. */
export class UnknownDeadLetterError extends Error {
  readonly code = 'unknown_dead_letter'
  constructor(id: string) {
    super(`there is no dead letter ${id}`)
  }
}

/** The messages that a queue has set aside: rejected tasks, and messages that are not tasks. For operators. */
export interface DeadLetters {
  /** The newest dead letters, 1,000 at most, oldest first, without those that were replayed. */
  listDeadLetters(): Promise<DeadLetter[]>

  /**
   * Sends the message unchanged to the topic it came from, and takes it off the list.
   * @throws UnknownDeadLetterError
   */
  replayDeadLetter(id: string): Promise<void>
}
