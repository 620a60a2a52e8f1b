import type { LedgerOutcome } from '#packages/accounts/ledger/ledger-entry.ts'
import type { JobCommand } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { FeedBatch } from '#packages/ports/event-store.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Attributes, Observation, Telemetry } from '#packages/telemetry/telemetry.ts'
import { isSampled, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { BusiestOrganizations } from './busiest-organizations.ts'
import { FailingOrganizations } from './failing-organizations.ts'
import { jobGauges } from './job-gauges.ts'
import type { OpenJobs } from './open-jobs.ts'
import { rootSpanOf, type TrackedJob } from './tracked-job.ts'

type Ports = { telemetry: Telemetry; clock: Clock; log: Logger }
type Settlement = { charged: number; reason: string }

type Options = {
  windowSeconds: number
  /** True if this process is the owner. Only the owner reports open jobs. */
  acts: () => boolean
  /** True if the busiest organizations are reported by name. */
  tellsBusiest?: boolean | undefined
}

/** Outcomes of a job that are not failures. */
const endedWell: readonly string[] = ['completed', 'cancelled']

/** Spans, metrics and log lines of jobs as the orchestrator sees them. */
export class JobTelemetry {
  readonly #ports: Ports
  readonly #jobs: OpenJobs
  readonly #failing: FailingOrganizations
  readonly #busiest: BusiestOrganizations | undefined
  /** Jobs whose settlement was given up without an answer. It may have taken effect. */
  readonly #unanswered = new WeakSet<TrackedJob>()
  /** The furthest that a recorded time was ahead of our clock since the last export, milliseconds. */
  #aheadMs = 0

  constructor(ports: Ports, jobs: OpenJobs, { windowSeconds, acts, tellsBusiest = false }: Options) {
    this.#ports = ports
    this.#jobs = jobs
    this.#failing = new FailingOrganizations(ports.clock)
    const { telemetry, clock } = ports
    for (const { gauge, read } of jobGauges)
      telemetry.observe(gauge, () => (acts() ? read(this.#jobs, clock.now()) : []))
    telemetry.observe(metrics.organizationsFailing, () => (acts() ? [{ value: this.#failing.size }] : []))
    if (tellsBusiest) {
      this.#busiest = new BusiestOrganizations(clock)
      this.#busiest.observe(telemetry, acts)
    }
    telemetry.observe(metrics.jobsWindow, () => (acts() ? [{ value: windowSeconds }] : []))
    telemetry.observe(metrics.orchestratorOwner, () => [{ value: Number(acts()) }])
    telemetry.observe(metrics.clockAhead, () => [this.#ahead()])
  }

  /** Reads a batch of the feed, before the open jobs apply it. */
  read({ events }: FeedBatch): void {
    for (const event of events) {
      this.#failing.apply(event)
      this.#busiest?.apply(event)
      if (event.type !== 'CreditsSettled') continue
      const tracked = this.#jobs.get(event.data.jobId)
      if (tracked !== undefined && this.#unanswered.delete(tracked)) this.#settled(tracked, event.data)
    }
    const newest = events.at(-1)?.recordedAt ?? 0
    this.#aheadMs = Math.max(this.#aheadMs, newest - this.#ports.clock.now())
  }

  /** A command for a job was carried out. @param before the job that the command was decided on */
  decided(command: JobCommand, before: Job): void {
    const claim = command.type === 'give-up' && before.status === 'open' ? before.claim : undefined
    // If another claim follows, its worker counts the lease.
    if (claim !== undefined && claim.leaseEndsAt <= this.#ports.clock.now())
      this.#ports.telemetry.add(metrics.leasesExpired, 1, { [names.step]: claim.step })
  }

  /** Settles a job, and reports it if this process settled it. @param settle asks the ledger */
  async settling(
    tracked: TrackedJob,
    settlement: Settlement,
    settle: () => Promise<LedgerOutcome>,
  ): Promise<LedgerOutcome> {
    const isRepeat = this.#unanswered.delete(tracked)
    try {
      const outcome = await settle()
      if (outcome.type === 'done' || isRepeat) this.#settled(tracked, settlement)
      return outcome
    } catch (error) {
      // The CreditsSettled of the job came meanwhile, or is still to come.
      if (this.#jobs.get(tracked.jobId) === tracked) this.#unanswered.add(tracked)
      else this.#settled(tracked, settlement)
      throw error
    }
  }

  /** Writes the job's log line and root span, and counts the ended job. */
  #settled(tracked: TrackedJob, { charged: asked, reason: outcome }: Settlement): void {
    const { telemetry, clock } = this.#ports
    const { jobId, orgId, kind, job, request, debitedAt, debitRoot, credits } = tracked
    const charged = Math.min(asked, credits)
    const { mode, platform } = request ?? {}
    const startedAt = request?.requestedAt ?? debitedAt
    // A job with a removed history has no recorded end.
    const endedAt = 'endedAt' in job ? job.endedAt : clock.now()
    const of: Attributes = { [names.kind]: kind, [names.mode]: mode ?? undefined, [names.outcome]: outcome }
    const all = { ...of, [names.platform]: platform }
    telemetry.add(metrics.jobsFinished, 1, all)
    if (request !== undefined) telemetry.record(metrics.jobDuration, (endedAt - startedAt) / 1000, of)
    if (outcome === 'timeout') telemetry.add(metrics.deadlinesMissed, 1, { [names.kind]: kind })
    this.#moved(tracked, charged)
    const traceparent = rootSpanOf(tracked)
    this.#ports.log.info(
      {
        jobId,
        orgId,
        kind,
        mode,
        platform,
        outcome,
        charged,
        ms: endedAt - startedAt,
        traceId: traceIdOf(traceparent),
      },
      'job',
    )
    if (!isSampled(traceparent) && debitRoot === undefined) return
    const root = {
      name: 'job',
      traceparent,
      parentId: undefined,
      startedAt,
      endedAt,
      error: endedWell.includes(outcome) ? undefined : outcome,
      attributes: { [names.jobId]: jobId, [names.orgId]: orgId, ...all },
    }
    telemetry.ended(root)
    // The request that debited the credits has its own trace. It gets a root there too, linked to this one.
    if (debitRoot !== undefined) telemetry.ended({ ...root, traceparent: debitRoot, links: [traceparent] })
  }

  #moved({ kind, credits }: TrackedJob, charged: number): void {
    const move = (operation: string, value: number): void =>
      this.#ports.telemetry.add(metrics.creditsMoved, value, {
        [names.creditsOperation]: operation,
        [names.kind]: kind,
      })
    move('charged', charged)
    move('refunded', credits - charged)
  }

  #ahead(): Observation {
    const value = this.#aheadMs / 1000
    this.#aheadMs = 0
    return { value }
  }
}
