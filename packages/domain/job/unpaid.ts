import type { Step } from './events.ts'
import { type FailureCode, failures } from './failure.ts'
import type { OpenJob } from './state.ts'
import { isUsed, sumOfUsed, type Used } from './used.ts'

const byRequest: ReadonlySet<FailureCode> = new Set([
  'cancelled',
  'extraction_invalid',
  'no_speech',
  'result_too_large',
])

/**
 * Whether the owner of a job can cause this end at will, and is not charged for it. The owner may cancel the job, or
 * make a request that leads to no result. Or the video turns out to be unfit or gone after work on its sound or text.
 */
export function isEndOfTheOwner(code: FailureCode): boolean {
  const { isUnfit, isAboutTheVideo } = failures[code]
  return byRequest.has(code) || isUnfit === true || isAboutTheVideo === true
}

/** How many unpaid jobs an organization may have in a day (UTC), in addition to the charged ones. */
export const mostUnpaid = (chargedJobs: number): number => Math.max(10, chargedJobs * 0.2)

/** The message for a customer who has reached the limit of unpaid jobs. */
export const UNPAID_WORK =
  'Work that was not charged for: jobs that were cancelled, or came to no result by what they ask for'

/** Steps that use services which the operator pays for. */
export const paidSteps: readonly Step[] = ['speech-to-text', 'extract']

/**
 * The paid services that an unpaid job has used, if it ends because of what its owner did or requested. Undefined if it
 * used nothing, or if the failure is ours or a platform's. If a job is cancelled, the use of the attempt under way is
 * unknown. Then the attempt counts as unpaid, with the known use of the attempts before it.
 * @param used by the attempt that ends the job
 */
export function unpaidOf(job: OpenJob, code: FailureCode, used: Used | null): Used | undefined {
  if (!isEndOfTheOwner(code)) return undefined
  const all = used === null ? job.used : sumOfUsed(job.used, used)
  const isAtWork = code === 'cancelled' && job.claim !== undefined && paidSteps.includes(job.claim.step)
  return isAtWork || isUsed(all) ? all : undefined
}
