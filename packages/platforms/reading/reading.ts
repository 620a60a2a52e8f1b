import type { ReadFrom } from '#packages/domain/job/events.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'

/** The owner of a read, and its limits. */
export type Reading = {
  /** The id of the job or of the synchronous request. */
  owner: string
  /**
   * The organization that the read is for. No organization may occupy all workers, and results that must not be
   * shared (signed URLs) are kept apart by organization. Undefined: an operator.
   */
  organization?: string
  /** How often a platform has refused this owner (`platform_blocked`): each refusal changes the exit address. */
  refusals: number
  /** The owner has used up its attempts at the host of a direct file. */
  exhausted?: boolean
  /**
   * If refused, the owner tries again until this instant, milliseconds since 1970. Meanwhile it keeps its place among
   * the reads that wait for the pace. Undefined: it does not try again.
   */
  comesBackUntil?: number
  /**
   * The owner can do without the result. So the read never waits for the pace, and leaves half of each minute to other
   * reads.
   */
  isOptional?: boolean
  /** How often the owner has tried this before, without a result. */
  failures?: number
  /** The platform has withheld captions from this owner before. */
  captionsWithheld?: boolean
  /** Called when the reading starts or stops waiting for its organization's share. */
  onWait?: OnWait
  /** Called with each place that is read for this owner. Not called for an owner that shares another's read. */
  onRead?: (from: ReadFrom) => void
  signal: AbortSignal
}
