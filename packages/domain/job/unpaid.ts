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
 * Whether the owner of a job can bring an end about at will, and is not charged for it: by cancelling it, by what it asks
 * for, or by a video that turns out to be unfit, or is gone, once its sound or text has been worked on.
 */
export function isEndOfTheOwner(code: FailureCode): boolean {
  const { isUnfit, isAboutTheVideo } = failures[code]
  return byRequest.has(code) || isUnfit === true || isAboutTheVideo === true
}

/** How many unpaid jobs an organization may have in a day (UTC), beside the jobs that were charged. */
export const mostUnpaid = (chargedJobs: number): number => Math.max(10, chargedJobs * 0.2)

/** For the customer who has had them. */
export const UNPAID_WORK =
  'Work that was not charged for: jobs that were cancelled, or came to no result by what they ask for'

/** Steps that use what the operator pays for. */
export const paidSteps: readonly Step[] = ['speech-to-text', 'extract']

/**
 * What a job has used that nobody pays for, where it ends by what its owner did or asked for; undefined where it has used
 * nothing, or the failure is ours or a platform's. What an attempt under way has used when its job is cancelled is not
 * known: it counts as an unpaid attempt, with what is known of those before it.
 * @param used by the attempt that ends the job
 */
export function unpaidOf(job: OpenJob, code: FailureCode, used: Used | null): Used | undefined {
  if (!isEndOfTheOwner(code)) return undefined
  const all = used === null ? job.used : sumOfUsed(job.used, used)
  const isAtWork = code === 'cancelled' && job.claim !== undefined && paidSteps.includes(job.claim.step)
  return isAtWork || isUsed(all) ? all : undefined
}
