import type { EventData } from '#contracts/generated/events.ts'
import type { ReadFrom, StepResult } from '#packages/domain/job/events.ts'
import type { Used } from '#packages/domain/job/used.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { KnownEvent } from './claim.ts'

/** The input of a step: the job, folded from its stream, and the limits of this attempt. */
export type StepContext = {
  jobId: string
  job: EventData['JobRequested']
  /** Undefined only for the fetch step. */
  video: EventData['VideoFetched'] | undefined
  /** The whole stream of the job, for steps that need earlier results. */
  events: readonly KnownEvent[]
  /** Milliseconds since 1970, UTC. */
  deadlineAt: number
  /** Aborted when the result is not wanted any more: at the deadline or a stop, when cancelled or displaced. */
  signal: AbortSignal
  /** Usage of this attempt so far. The step adds to it as it goes, so that it is known even after a failure. */
  used: Used
  /** Call it for each read outside. */
  onRead(from: ReadFrom): void
  log: Logger
}

/**
 * One step of the pipeline: takes the state of a job and returns the event that records the result.
 * @throws StepError if this attempt ends without one; anything else counts as a transient `internal_error`
 */
export type StepWork = (context: StepContext) => Promise<StepResult>
