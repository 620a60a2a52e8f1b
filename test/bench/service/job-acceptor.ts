import { noOptions } from '#packages/domain/job/events.ts'
import { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import { DailyCaps } from '#packages/jobs/acceptance/daily-caps.ts'
import { LaneAdmission } from '#packages/jobs/acceptance/lane-admission.ts'
import { OwnerNote } from '#packages/jobs/acceptance/owner-note.ts'
import { PaceAdmission } from '#packages/jobs/acceptance/pace-admission.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import { spanIdFrom, toTraceparent, traceIdFrom } from '#packages/telemetry/traceparent.ts'
import type { ComponentPorts } from '#services/host/components.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { allOf, type Countdown } from '../kit/all-of.ts'
import type { Customer } from './customers.ts'
import { VIDEO_URL } from './noop-steps.ts'

type AcceptorPorts = Omit<ComponentPorts, 'queue' | 'ownership' | 'processors'> & { windowSeconds: number }

/** Accepts jobs, 32 at once, and waits until all are settled. @returns their ids */
export async function completeJobs(
  ports: AcceptorPorts,
  settled: Countdown,
  { customers, jobs }: { customers: Customer[]; jobs: number },
): Promise<string[]> {
  const accept = jobAcceptor(ports)
  const done = settled.from(jobs)
  const ids: string[] = []
  await allOf(jobs, 32, async (index) => {
    ids[index] = await accept(customers[index % customers.length] as Customer)
  })
  await done
  return ids
}

/** The fields of an application that come from its key and Idempotency-Key. Here it has neither. */
const withoutKey = { keyId: null, surface: 'api', monthlyCredits: null, idempotencyKey: undefined } as const

/** Does the ingress's work on a request after HTTP: debits the credits and writes the job. Returns the job's id. */
export function jobAcceptor({ store, views, ledgers, clock, ids, log, telemetry, windowSeconds }: AcceptorPorts) {
  const options = { ...ingressDefaults, windowSeconds }
  const note = new OwnerNote({ views, clock, log }, options)
  const admission = new LaneAdmission({ note, clock }, options)
  const pace = new PaceAdmission({ note, clock, telemetry }, options)
  const caps = new DailyCaps({ views, clock, log }, options)
  const acceptance = new Acceptance({ store, views, ledgers, clock, ids, admission, pace, caps, telemetry }, options)
  return async ({ orgId }: Customer): Promise<string> => {
    const requestId = ids.uuid()
    const traceId = traceIdFrom(requestId)
    const traceparent = toTraceparent(traceId, spanIdFrom(requestId), telemetry.isSampled(traceId))
    const metadata = { orgId, causationId: requestId, traceparent }
    const request = {
      kind: 'transcript',
      url: VIDEO_URL,
      mode: 'auto',
      lang: null,
      prompt: null,
      schema: null,
      options: noOptions,
    } as const
    return (await acceptance.accept({ request, terms: noTerms, ...withoutKey, metadata })).jobId
  }
}
