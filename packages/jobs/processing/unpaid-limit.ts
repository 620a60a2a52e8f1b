import { isEndOfTheOwner, mostUnpaid, UNPAID_WORK } from '#packages/domain/job/unpaid.ts'
import { isUsed } from '#packages/domain/job/used.ts'
import {
  dayOf,
  nothingUsedByOne,
  type OrganizationUseDocument,
  organizationUseId,
} from '#packages/events/views/daily-use.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { CancelledError } from './attempts-under-way.ts'
import type { StepContext, StepWork } from './step.ts'

type Ports = { views: Views; clock: Clock; log: Logger }

/**
 * Limits the unpaid jobs of an organization in a day (UTC). It is checked when paid work begins. Once it is reached,
 * even jobs that were accepted before do not begin such work. The view is behind, so this process adds the jobs that
 * have ended here.
 */
export class UnpaidLimit {
  readonly #ports: Ports
  /** Unpaid attempts of one day that ended in this process, by organization. */
  #own = { day: '', counts: new Map<string, number>() }

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Makes a step begin only below the limit. @throws StepError `upstream_error`: the limit is reached */
  within(work: StepWork): StepWork {
    return async (context) => {
      const { orgId } = context.job
      await this.#assertBelow(orgId)
      try {
        return await work(context)
      } catch (error) {
        if (isUnpaid(context, error)) this.#count(orgId)
        throw error
      }
    }
  }

  async #assertBelow(orgId: string): Promise<void> {
    const use = await this.#useOf(orgId)
    if (use === undefined) return
    const unpaid = Math.max(use.unpaidJobs, this.#ownOfToday().get(orgId) ?? 0)
    if (unpaid < mostUnpaid(use.chargedJobs)) return
    const message = `${UNPAID_WORK}, ${unpaid} today (UTC). Nothing was charged.`
    throw new StepError('upstream_error', { message })
  }

  /** The use of the organization. Undefined if the view cannot be read: then no job is refused, as at acceptance. */
  async #useOf(orgId: string): Promise<OrganizationUseDocument | undefined> {
    const { views, clock, log } = this.#ports
    try {
      const id = organizationUseId(orgId, dayOf(clock.now()))
      return (await views.get<OrganizationUseDocument>('organizationUse', id)) ?? nothingUsedByOne
    } catch (error) {
      log.warn({ err: error }, 'the use of the day cannot be read: unpaid work is not limited')
      return undefined
    }
  }

  #count(orgId: string): void {
    const counts = this.#ownOfToday()
    counts.set(orgId, (counts.get(orgId) ?? 0) + 1)
  }

  #ownOfToday(): Map<string, number> {
    const day = dayOf(this.#ports.clock.now())
    if (this.#own.day !== day) this.#own = { day, counts: new Map() }
    return this.#own.counts
  }
}

/** Whether the attempt that threw this ended its job because of what its owner did or requested. */
function isUnpaid({ job, signal, used }: StepContext, error: unknown): boolean {
  if (signal.aborted) return signal.reason instanceof CancelledError
  if (!(error instanceof StepError) || error.transient || !isUsed(used)) return false
  // The extraction of a video without speech continues.
  return isEndOfTheOwner(error.code) && !(error.code === 'no_speech' && job.kind === 'extraction')
}
