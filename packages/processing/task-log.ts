import type { StepTask } from '#contracts/generated/messages.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'

/** The log lines about one task. Most tasks leave one line; a child logger is made only for tasks that leave more. */
export class TaskLog {
  readonly #log: Logger
  readonly #task: StepTask
  #logger: Logger | undefined

  constructor(log: Logger, task: StepTask) {
    this.#log = log
    this.#task = task
  }

  /** A logger whose lines name this task. */
  get logger(): Logger {
    this.#logger ??= this.#log.child(this.#fields())
    return this.#logger
  }

  /** Logs one line with these fields and those of the task. */
  info(fields: object, message: string): void {
    this.#log.info({ ...this.#fields(), ...fields }, message)
  }

  #fields() {
    const { jobId, step, traceparent } = this.#task
    return { jobId, step, traceId: traceIdOf(traceparent) }
  }
}
