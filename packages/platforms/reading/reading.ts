import type { OnWait } from '#packages/work/single-flight.ts'

/** Who reads, and until when. */
export type Reading = {
  /** The job's id, or a synchronous request's. */
  owner: string
  /**
   * Who is served: no organization has all the workers, and what must not be shared (signed URLs) is kept apart by it.
   * Undefined: an operator, each of whose requests stands for itself.
   */
  organization?: string
  /** How often a platform has refused (`platform_blocked`) this owner so far: each time asks for another exit address. */
  refusals: number
  /** Whether the host of a direct file has been asked as often as it may be for this owner. */
  exhausted?: boolean
  /** Whether this owner has tried the same before, without a result. */
  again?: boolean
  /** Told when the reading waits for the share of whom it serves. */
  onWait?: OnWait
  signal: AbortSignal
}
