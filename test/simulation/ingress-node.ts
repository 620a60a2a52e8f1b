import type { Request, Response } from 'express'
import type { JobDetails, RevokedKey, TimelineEvent } from '#contracts/generated/http.ts'
import type { Caller } from '#packages/accounts/keys/caller.ts'
import { KeyRing } from '#packages/accounts/keys/key-ring.ts'
import { KeyUse } from '#packages/accounts/keys/key-use.ts'
import { Keys } from '#packages/accounts/keys/keys.ts'
import { RequestCounts } from '#packages/accounts/request-counts/request-counts.ts'
import { Results } from '#packages/content/results/results.ts'
import type { FeedReader } from '#packages/events/store/follow.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { forgetJob } from '#packages/history/removal/forget-job.ts'
import { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import { DailyCaps } from '#packages/jobs/acceptance/daily-caps.ts'
import { LaneAdmission } from '#packages/jobs/acceptance/lane-admission.ts'
import { OwnerNote } from '#packages/jobs/acceptance/owner-note.ts'
import { PaceAdmission } from '#packages/jobs/acceptance/pace-admission.ts'
import { Batches } from '#packages/jobs/batches/batches.ts'
import { cancelJob } from '#packages/jobs/status/cancel-job.ts'
import { jobDetailsOf } from '#packages/jobs/status/job-details.ts'
import { JobHistory } from '#packages/jobs/status/job-history.ts'
import { type JobQuestion, JobWatch, type SeenJob, type Standing } from '#packages/jobs/status/job-watch.ts'
import { anyJob, listJobs } from '#packages/jobs/status/list-jobs.ts'
import { Timeline } from '#packages/jobs/status/timeline.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import type { ComponentPorts } from '#services/host/components.ts'
import type { Answers, Headers } from '#services/ingress/answers/answers.ts'
import { EndedJobs } from '#services/ingress/answers/ended-jobs.ts'
import { ErrorObjects } from '#services/ingress/answers/error-objects.ts'
import type { IngressResources } from '#services/ingress/ingress.ts'
import { type IngressOptions, ingressDefaults } from '#services/ingress/options.ts'
import { getJob } from '#services/ingress/routes/get-job.ts'
import type { Mutation } from './mutations.ts'

/** A job as its owner sees it. */
export type Description = { details: JobDetails; timeline: TimelineEvent[] }

/** One ingress without its HTTP layer: the classes that its routes call. */
export class IngressNode {
  readonly keys: KeyRing
  readonly #ownKeys: Keys
  readonly #watch: JobWatch
  readonly #history: JobHistory
  readonly #ended: EndedJobs
  readonly #counts: RequestCounts
  readonly acceptance: Pick<Acceptance, 'accept'>
  /** The component that the routes of batches call. */
  readonly batches: Batches
  readonly #ports: ComponentPorts
  readonly #options: IngressOptions
  readonly #readers: readonly FeedReader[]

  constructor(
    ports: ComponentPorts,
    given: Pick<IngressOptions, 'windowSeconds' | 'cachedEntries'> & Pick<IngressResources, 'followsLedgers'>,
    mutation: Mutation,
  ) {
    const options = { ...ingressDefaults, ...given }
    this.#ports = ports
    this.#options = options
    this.keys = new KeyRing(ports, options)
    this.#ownKeys = new Keys({ ...ports, ring: this.keys, use: new KeyUse(ports, options) }, options)
    this.#watch = new JobWatch(ports)
    this.#readers = given.followsLedgers ? [ports.ledgers, this.#watch] : []
    this.#history = new JobHistory({ ...ports, watch: this.#watch })
    this.#ended = new EndedJobs({ ...ports, results: new Results() }, options)
    this.#counts = new RequestCounts(ports)
    this.batches = new Batches(ports)
    const note = new OwnerNote(ports, options)
    const admission = new LaneAdmission({ ...ports, note }, options)
    const pace = new PaceAdmission({ ...ports, note }, options)
    const caps = new DailyCaps(ports, options)
    const acceptance = (of: ComponentPorts): Acceptance => new Acceptance({ ...of, admission, pace, caps }, options)
    this.acceptance = mutation.acceptance?.(acceptance, ports) ?? acceptance(ports)
  }

  run(signal: AbortSignal): Promise<void> {
    return Promise.all([this.keys.follow(signal, this.#readers), this.#counts.run(signal)]).then(() => undefined)
  }

  /** The route of GET /v1/transcript/{jobId}. @returns undefined if the answer is that there is no such job */
  async poll({ jobId, orgId, kind }: JobQuestion, waitSeconds: number): Promise<SeenJob | undefined> {
    let answer: PolledJob | undefined
    const text = (_response: Response, _status: number, body: string, headers: Headers): void => {
      answer = { ...(JSON.parse(body) as PolledJob), charged: Number(headers['X-Credits-Charged']) }
    }
    const { ledgers } = this.#ports
    const answers = { text } as unknown as Answers
    const { signal: closing } = new AbortController()
    const ports = { watch: this.#watch, ended: this.#ended, ledgers, answers, errors: new ErrorObjects(), closing }
    const options = { kind, maxWaitSeconds: this.#options.maxWaitSeconds }
    const request = { params: { jobId }, url: '', headers: { prefer: `wait=${waitSeconds}` } } as unknown as Request
    const context = { requestId: 'a poll', traceparent, caller: { orgId, keyId: '' } }
    const response = { locals: { context }, once: () => {}, off: () => {} } as unknown as Response
    try {
      await getJob(ports, options)(request, response, () => {})
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined
      throw error
    }
    if (answer === undefined) throw new Error('the route did not answer')
    return { traceId: traceIdOf(traceparent), ...standingOf(answer) }
  }

  /** What GET /v1/jobs/{jobId} and its events call. @returns undefined if the answer is that there is no such job */
  async describe({ jobId, orgId }: Pick<JobQuestion, 'jobId' | 'orgId'>): Promise<Description | undefined> {
    const shown = await this.#history.read({ jobId, orgId })
    if (shown === undefined) return undefined
    const details = jobDetailsOf(shown, { jobId, now: this.#ports.clock.now(), used: undefined })
    return { details, timeline: new Timeline().tell(shown) }
  }

  /** What DELETE /v1/jobs/{jobId} calls. @returns false if the answer is that there is no such job */
  async cancel({ jobId, orgId }: Pick<JobQuestion, 'jobId' | 'orgId'>): Promise<boolean> {
    const requestId = this.#ports.ids.uuid()
    return (await cancelJob(this.#ports, { jobId, orgId, requestId }, this.#options)) !== undefined
  }

  /** What DELETE /v1/jobs/{jobId}/content calls. */
  async forget({ jobId, orgId }: Pick<JobQuestion, 'jobId' | 'orgId'>): Promise<void> {
    const ports = { ...this.#ports, dropCached: async () => {} }
    await forgetJob(ports, { jobId, orgId, cause: this.#ports.ids.uuid() })
    this.#ended.forget(jobId)
  }

  /** What GET /v1/jobs calls. @returns the ids of all jobs; there are few */
  async list(orgId: string): Promise<string[]> {
    const { jobs } = await listJobs(this.#ports.views, orgId, { ...anyJob, cursor: undefined })
    this.#counts.count(orgId, 'reads', '/v1/jobs')
    return jobs.map(({ jobId }) => jobId)
  }

  /** What DELETE /v1/keys/{id} calls. */
  revoke(keyId: string, by: Caller): Promise<RevokedKey> {
    const requestId = this.#ports.ids.uuid()
    const metadata = { orgId: by.orgId, correlationId: requestId, causationId: requestId, traceparent }
    return this.#ownKeys.revoke(keyId, by, metadata)
  }
}

/** The parts of an answer that show the state of the job. For a timed-out job, the answer is an Error object. */
type PolledJob = {
  status: SeenJob['status']
  resultJson: Record<string, unknown> | null
  error: string | { code: string; message: string } | null
  message?: string
  charged: number
}

function standingOf({ status, resultJson, error, message = '', charged }: PolledJob): Standing {
  if (status === 'queued') return { status }
  if (status === 'completed') return { status, result: JSON.stringify(resultJson ?? {}), charged }
  const failure = error !== null && typeof error === 'object' ? error : { code: String(error), message }
  return { status, error: failure, charged }
}

export const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
