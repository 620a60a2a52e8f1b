import type { StepTask } from '#contracts/generated/messages.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'

/** The log, and the same for lines that need no redaction. */
export type TaskLogs = { redacted: Logger; plain: Logger }

/** The log lines about one task. Most tasks leave one line; a child logger is made only for tasks that leave more. */
export class TaskLog {
  readonly #logs: TaskLogs
  readonly #task: StepTask
  #logger: Logger | undefined

  constructor(logs: TaskLogs, task: StepTask) {
    this.#logs = logs
    this.#task = task
  }

  /** A logger whose lines name this task. */
  get logger(): Logger {
    this.#logger ??= this.#logs.redacted.child(this.#fields())
    return this.#logger
  }

  /** Logs one line with these fields and those of the task. They are not redacted: they must not hold a secret. */
  info(fields: object, message: string): void {
    this.#logs.plain.info({ ...this.#fields(), ...fields }, message)
  }

  #fields() {
    const { jobId, step, traceparent } = this.#task
    return { jobId, step, traceId: traceIdOf(traceparent) }
  }
}
