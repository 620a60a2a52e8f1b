import { StepError } from './step-error.ts'

/**
 * A read would wait too long for the pace of its platform. No request was sent to the platform. A caller learns when
 * to come back, and a job releases its step until then.
 */
export class PaceError extends StepError {
  /** Until the read's turn, seconds. */
  declare readonly retryAfterSeconds: number

  constructor(waitMs: number) {
    super('upstream_error', {
      transient: true,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      message: 'The limit of reads per minute for this platform is reached; try again later.',
    })
  }
}
