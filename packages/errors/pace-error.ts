import { StepError } from './step-error.ts'

/**
 * A read must wait for the pace of its platform longer than it may be kept waiting. Nothing was asked of the platform:
 * a caller is told to come back, and a job gives its step back until then.
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
