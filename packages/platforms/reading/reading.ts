import type { OnWait } from '#packages/work/single-flight.ts'

/** Who reads, and until when. */
export type Reading = {
  /** The job's id, or a synchronous request's. */
  owner: string
  /**
   * The organization that is served: none may occupy all the workers, and what must not be shared (signed URLs) is kept
   * apart by organization. Undefined: an operator.
   */
  organization?: string
  /** How often a platform has refused (`platform_blocked`) this owner so far: each time asks for another exit address. */
  refusals: number
  /** The host of a direct file has been asked as often as one owner may ask it. */
  exhausted?: boolean
  /** This owner has tried the same before, without a result. */
  again?: boolean
  /** Called when the reading starts or stops waiting for its organization's share. */
  onWait?: OnWait
  signal: AbortSignal
}
