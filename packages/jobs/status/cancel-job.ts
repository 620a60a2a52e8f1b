import type { JobKind } from '#packages/domain/job/events.ts'
import { job } from '#packages/domain/job/job.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, StreamRemovedError } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { jobSpanOf } from '#packages/telemetry/traceparent.ts'
import { isJobId } from './job-id.ts'

type Ports = { store: EventStore; clock: Clock; ids: Ids; attempts: AttemptsUnderWay }

/** Which job is cancelled, by whom, and by which request. */
export type Cancellation = { jobId: string; orgId: string; requestId: string }

/**
 * Ends a job as `cancelled`, unless it has ended. The orchestrator refunds it, like every failed job. Any other
 * append that would end or advance the job at the same time is either stored before, or refused because its revision
 * is taken. Work on it stops now in this process, and elsewhere at its next append.
 * @returns the kind of the job and the traceparent of its request; undefined if this organization has no such job
 * @throws ServiceError unavailable: it is unknown whether the job was cancelled
 */
export async function cancelJob(
  ports: Ports,
  { jobId, orgId, requestId }: Cancellation,
  { giveUpAfterMs }: { giveUpAfterMs: number },
): Promise<{ kind: JobKind; traceparent: string } | undefined> {
  if (!isJobId(jobId)) return undefined
  const stream = streams.job(jobId)
  const [first] = await ports.store.read(stream, { from: 0, to: 0 })
  if (first?.type !== 'JobRequested' && first?.type !== 'JobFailed') return undefined
  if (first.data.orgId !== orgId) return undefined
  const traceparent = jobSpanOf(jobId, first.metadata.traceparent)
  const metadata = { orgId, correlationId: jobId, causationId: requestId, traceparent }
  const giveUpAt = ports.clock.now() + giveUpAfterMs
  try {
    await handleCommand(ports, job, { stream, command: { type: 'cancel' }, metadata, giveUpAt })
  } catch (error) {
    if (error instanceof StreamRemovedError) return undefined
    const message = 'The job may not be cancelled yet. Try again.'
    throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
  }
  ports.attempts.cancel(jobId)
  return { kind: first.data.kind, traceparent: first.metadata.traceparent }
}
