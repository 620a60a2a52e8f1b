import type { StepTask } from '#contracts/generated/messages.ts'
import { failures } from '#packages/domain/job/failure.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'

/**
 * The log lines about one task. A job leaves one line, at its end (services/orchestrator). Normal progress is logged
 * here at `debug`, and a child logger is made only for tasks with other lines.
 */
export class TaskLog {
  readonly #log: Logger
  readonly #task: StepTask
  #logger: Logger | undefined

  constructor(log: Logger, task: StepTask) {
    this.#log = log
    this.#task = task
  }

  /** A logger with lines that name this task. */
  get logger(): Logger {
    this.#logger ??= this.#log.child(this.#fields())
    return this.#logger
  }

  /** One line with these fields and those of the task. */
  debug(fields: object, message: string): void {
    this.#log.debug({ ...this.#fields(), ...fields }, message)
  }

  /** Logs how an attempt failed: briefly if the customer's request or its host is at fault. */
  failed(error: unknown): void {
    const message = 'an attempt ended without a result'
    if (isCustomers(error)) this.debug({ reason: error.code }, message)
    else this.logger.warn({ err: error }, message)
  }

  #fields() {
    const { jobId, step, traceparent } = this.#task
    return { jobId, step, traceId: traceIdOf(traceparent) }
  }
}

const isCustomers = (error: unknown): error is StepError =>
  error instanceof StepError && (failures[error.code].isOurs !== true || error.host === 'direct')
