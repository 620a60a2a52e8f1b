import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { isAnswer } from '#packages/events/store/append-until-answered.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { isJobId } from '#packages/jobs/status/job-id.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
import { endpointsOf } from '#packages/jobs/webhooks/endpoints-of.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { RevisionConflictError, type StoredEvent } from '#packages/ports/event-store.ts'
import { deliveryIdOf, type Ids, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { type CarryOutPorts, carryOut } from './carry-out.ts'
import { recordRemoval } from './record-removal.ts'

export type ForgetJobPorts = CarryOutPorts & { ledgers: Ledgers; views: Views; clock: Clock; ids: Ids }

/** The job, its organization, and the request or command that asks to forget it. */
export type JobToForget = { jobId: string; orgId: string; cause: string }

/** How long the answer waits for the views, milliseconds. */
const GONE_WITHIN_MS = 2000

/**
 * Removes the content of an ended job: its stream, its webhook deliveries, its document, and the cached data of its
 * URL. The lines of the ledger stay, because they hold only ids. If it is interrupted anywhere after the event, it is
 * carried out later.
 * @throws ServiceError not_found, job_not_ended, unavailable (not settled yet, or the decision is unknown)
 */
export async function forgetJob(ports: ForgetJobPorts, { jobId, orgId, cause }: JobToForget): Promise<void> {
  assertStoreIntact(ports.store)
  if (!isJobId(jobId)) throw noSuchJob()
  const stream = streams.job(jobId)
  const events = await ports.store.read(stream)
  const [first, last] = [events[0], events.at(-1)]
  if ((first?.type !== 'JobRequested' && first?.type !== 'JobFailed') || first.data.orgId !== orgId) throw noSuchJob()
  if (last?.type !== 'JobCompleted' && last?.type !== 'JobFailed') throw notEnded()
  // Every job has a debit, written before it. A debit that is no longer open is settled.
  const { openDebits } = await ports.ledgers.current(orgId)
  if (openDebits.has(jobId)) throw notSettled()
  const data = { reason: 'forgotten' as const, streams: [stream, ...(await deliveriesOf(ports.views, orgId, first))] }
  const position = await recordRemoval(ports, { about: jobId, orgId, cause, data }, 'no-stream').then(
    (recorded) => recorded.position,
    unlessDecided,
  )
  await carryOut(ports, { data })
  await ports.views.waitForApplied(position, GONE_WITHIN_MS)
}

/**
 * The streams of the webhook deliveries about it: existing ones, and possible ones that may begin in a moment. After
 * the removal, nothing can be appended to them.
 */
async function deliveriesOf(views: Views, orgId: string, first: StoredEvent): Promise<string[]> {
  const jobId = first.stream.slice('job-'.length)
  const known = await views.find('deliveries', 'jobId', jobId)
  const existing = (await endpointsOf(views, orgId)).map(({ id }) => id)
  const own = first.type === 'JobRequested' && first.data.webhookId !== null ? [first.data.webhookId] : []
  const coming = [...existing, ...own].map((id) => deliveryIdOf(id, jobId))
  return [...new Set([...known.map(({ id }) => id), ...coming])].map(streams.delivery)
}

/** The same decision by another request also counts, although it has another cause. */
function unlessDecided(error: unknown): number {
  if (error instanceof RevisionConflictError) return 0
  if (isAnswer(error)) throw error
  const message = 'The content may not be deleted yet. Try again.'
  throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
}

const notEnded = (): ServiceError =>
  new ServiceError('job_not_ended', 'The job has not ended: cancel it first, or wait for its end.')

const notSettled = (): ServiceError =>
  new ServiceError('unavailable', 'The credits of the job are not settled yet. Try again in a moment.', {
    retryAfterSeconds: 1,
  })
