import type { EventMetadata } from '#contracts/generated/messages.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { type CreditsCommand, credits, decideTogether, evolveAll, inMonthOf } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { Step, StepResult } from '#packages/domain/job/events.ts'
import { jobRequested, problem, results } from '#packages/domain/job/job.fixture.ts'
import { type JobCommand, job as jobDecider, NOT_ACCEPTED_AFTER_MS, settlementOf } from '#packages/domain/job/job.ts'
import { next } from '#packages/domain/job/next.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import type { Job } from '#packages/domain/job/state.ts'
import { fullGrant } from '#packages/domain/key/grant.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { eventId, sha256, streams } from '#packages/ports/ids.ts'
import { Random } from '#test/doubles/random.ts'

const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const LEASE_SECONDS = 30

const resultOf: Record<Step, StepResult> = {
  fetch: results.fetched,
  caption: results.captions,
  'speech-to-text': results.speech,
  extract: results.extraction,
}

const kinds = [
  { kind: 'transcript', mode: 'native' },
  { kind: 'transcript', mode: 'generate' },
  { kind: 'transcript', mode: 'auto' },
  { kind: 'extraction', mode: null },
] as const

type Organization = { orgId: string; keyId: string; credits: Ledger }

/** A job with a next event to come. */
type Underway = { jobId: string; org: Organization; job: Job; revision: number; attempt: number }

/**
 * The events that a small service might have recorded, made from a seed by the deciders: organizations with jobs in
 * parallel. Some jobs fail, are cancelled, lose their workers, or were never accepted. At the end everything is
 * settled.
 */
export function madeHistory(seed: number): StoredEvent[] {
  return new HistoryMaker(new Random(`made history ${seed}`)).run()
}

class HistoryMaker {
  readonly #random: Random
  readonly #events: StoredEvent[] = []
  readonly #revisions = new Map<string, number>()
  readonly #due: { at: number; act: () => void }[] = []
  #position = 0
  #now: number

  constructor(random: Random) {
    this.#random = random
    // Some histories contain the end of a month.
    this.#now = random.pick([Date.UTC(2026, 10, 21, 12), Date.UTC(2026, 10, 30, 23, 59, 20)])
  }

  run(): StoredEvent[] {
    const random = this.#random
    for (let count = random.between(1, 3); count > 0; count--) {
      const org = this.#register()
      for (let jobs = random.between(2, 6); jobs > 0; jobs--) this.#later(0, 60_000, () => this.#accept(org))
      if (random.chance(0.5))
        this.#later(0, 60_000, () => this.#command(org, { type: 'grant', credits: 20, by: 'command' }))
      if (random.chance(0.3))
        this.#later(0, 60_000, () => this.#command(org, { type: 'change-plan', plan: 'pro', by: 'command' }))
    }
    while (this.#due.length > 0) {
      const next = this.#due.reduce((one, other) => (other.at < one.at ? other : one))
      this.#due.splice(this.#due.indexOf(next), 1)
      this.#now = Math.max(this.#now, next.at)
      next.act()
    }
    return this.#events
  }

  #later(least: number, most: number, act: () => void): void {
    this.#due.push({ at: this.#now + this.#random.between(least, most), act })
  }

  /** @param stepOf names the step that an event records; undefined: its id is fresh */
  #append(
    stream: string,
    events: readonly DomainEvent[],
    cause: Pick<EventMetadata, 'orgId' | 'correlationId' | 'causationId'>,
    stepOf: (event: DomainEvent, index: number) => string | undefined = ({ type }) => type,
  ): void {
    events.forEach((event, index) => {
      const step = stepOf(event, index)
      const revision = (this.#revisions.get(stream) ?? -1) + 1
      this.#revisions.set(stream, revision)
      this.#position += this.#random.chance(0.1) ? 3 : 1
      const id = step === undefined ? this.#random.uuid() : eventId(stream, step, event.data)
      const metadata = { ...cause, traceparent: TRACEPARENT }
      this.#events.push({ ...event, id, metadata, stream, revision, position: this.#position, recordedAt: this.#now })
    })
  }

  #register(): Organization {
    const orgId = this.#random.uuid()
    const keyId = this.#random.uuid()
    const org = { orgId, keyId, credits: credits.initialState }
    const cause = { orgId, correlationId: orgId, causationId: orgId }
    this.#command(org, { type: 'register', by: 'command' })
    if (this.#random.chance(0.5)) this.#command(org, { type: 'change-plan', plan: 'starter', by: 'command' })
    this.#append(streams.organization(orgId), [{ type: 'OrganizationRegistered', data: { name: 'Acme' } }], cause)
    const marks = { name: 'a key', prefix: 'ma_0000', suffix: '0000', sha256: sha256(keyId) }
    const grant = { ...fullGrant, monthlyCredits: this.#random.pick([null, 30]), createdBy: null }
    this.#append(streams.key(keyId), [{ type: 'KeyCreated', data: { orgId, ...marks, ...grant } }], cause)
    return org
  }

  #command(org: Organization, command: CreditsCommand, causationId = this.#random.uuid()): readonly DomainEvent[] {
    const { orgId } = org
    const correlationId = 'jobId' in command ? command.jobId : causationId
    const { events } = decideTogether([command], inMonthOf(org.credits, this.#now))
    this.#append(streams.credits(orgId), events, { orgId, correlationId, causationId }, ({ type, data }, index) => {
      if (type === 'CreditsGranted' && data.reason === 'adjustment') return undefined
      return type === 'CreditsRenewed' ? `${type}/${correlationId}/${index}` : type
    })
    org.credits = evolveAll(
      org.credits,
      events.map((event) => ({ ...event, recordedAt: this.#now })),
    )
    return events
  }

  #accept(org: Organization): void {
    const random = this.#random
    const { orgId, keyId } = org
    const [jobId, what, causationId] = [random.uuid(), random.pick(kinds), random.uuid()]
    const { full, least } = debitOf(what)
    const purpose = { operation: what.kind, mode: what.mode, platform: 'youtube', keyId, batch: null } as const
    const monthlyCredits = 30
    const command = { ...debit(jobId, full, least), purpose, monthlyCredits } as CreditsCommand
    const debited = this.#command(org, command, causationId).find(({ type }) => type === 'CreditsDebited')
    if (debited?.type !== 'CreditsDebited') return
    const underway: Underway = { jobId, org, job: jobDecider.initialState, revision: -1, attempt: 0 }
    const debitedAt = this.#now
    if (random.chance(0.05)) {
      const refuse = () =>
        this.#orchestrate(underway, { type: 'refuse', orgId, kind: what.kind, debitedAt, now: this.#now })
      this.#later(NOT_ACCEPTED_AFTER_MS, NOT_ACCEPTED_AFTER_MS + 500, refuse)
      return
    }
    this.#later(1, 20, () => {
      const data = jobRequested({ orgId, keyId, ...what, budget: debited.data.credits, windowSeconds: 60 })
      this.#decide(underway, { type: 'request', request: data }, causationId, ({ type }) => type)
      this.#later(1, 300, () => this.#advance(underway))
      if (random.chance(0.08)) this.#later(1, 8000, () => this.#cancel(underway))
    })
  }

  #decide(
    underway: Underway,
    command: JobCommand,
    causationId: string,
    stepOf: (event: DomainEvent) => string | undefined,
  ): void {
    const { jobId, org } = underway
    const stream = streams.job(jobId)
    const events = jobDecider.decide(command, underway.job)
    this.#append(stream, events, { orgId: org.orgId, correlationId: jobId, causationId }, stepOf)
    for (const event of events) underway.job = jobDecider.evolve(underway.job, { ...event, recordedAt: this.#now })
    underway.revision += events.length
    const settlement = events.length > 0 ? settlementOf(underway.job) : undefined
    const settle = { type: 'settle', jobId, ...settlement } as CreditsCommand
    const cause = `orchestrator/${jobId}/${underway.revision}`
    if (settlement !== undefined) this.#later(5, 2000, () => void this.#command(org, settle, cause))
  }

  #orchestrate(underway: Underway, command: JobCommand): void {
    const cause = `orchestrator/${underway.jobId}/${underway.revision}`
    this.#decide(underway, command, cause, ({ type }) => `orchestrator/${type}`)
  }

  #cancel(underway: Underway): void {
    this.#decide(underway, { type: 'cancel' }, this.#random.uuid(), ({ type }) => type)
  }

  #advance(underway: Underway): void {
    const { job } = underway
    if (job.status !== 'open') return
    const due = next(job, this.#now)
    if (due.type === 'fail') this.#orchestrate(underway, { type: 'give-up', now: this.#now })
    else if (due.type === 'step') this.#start(underway, due.step, due.attempt)
    else this.#later(due.until - this.#now, due.until - this.#now + 50, () => this.#advance(underway))
  }

  #start(underway: Underway, step: Step, attempt: number): void {
    const { jobId, revision } = underway
    const start = { type: 'start', step, attempt, worker: 'worker-1', leaseSeconds: LEASE_SECONDS } as const
    const task = `${jobId}/${revision}/${step}/${attempt}`
    this.#decide(underway, start, task, () => undefined)
    this.#later(50, 4000, () => this.#endAttempt(underway, task))
  }

  /** Continues an attempt in one of the possible ways. */
  #endAttempt(underway: Underway, task: string): void {
    const { job } = underway
    const [, , step, attempt] = task.split('/')
    if (job.status !== 'open' || job.claim === undefined) return
    if (job.claim.step !== step || String(job.claim.attempt) !== attempt) return
    const random = this.#random
    const at = job.claim.step
    const fate = random.next()
    // The worker is lost, so its lease ends.
    if (fate < 0.08) {
      this.#advance(underway)
      return
    }
    const failed = problem(fate < 0.16 ? 'upstream_error' : 'video_unavailable', { transient: fate < 0.16 })
    const report = { type: 'report-problem', step: at, problem: failed, now: this.#now, chance: random.next() } as const
    const result = at === 'caption' && random.chance(0.4) ? results.noCaptions : resultOf[at]
    const command: JobCommand =
      fate < 0.2 ? report : { type: 'record-result', result: distinct(result, random), now: this.#now }
    const byWorker = ({ type }: DomainEvent): string => `${step}/${attempt}/${type}`
    if (random.chance(0.1))
      this.#decide(underway, { type: 'extend', leaseSeconds: LEASE_SECONDS }, task, () => undefined)
    if (random.chance(0.05)) this.#decide(underway, { type: 'release' }, task, byWorker)
    else this.#decide(underway, command, task, byWorker)
    this.#later(1, 300, () => this.#advance(underway))
  }
}

/** A result with unique content. */
function distinct(result: StepResult, random: Random): StepResult {
  if (result.type !== 'CaptionsRead' && result.type !== 'SpeechTranscribed') return result
  const segments = [{ start: 0, end: 1.5, text: `words ${random.between(1, 1e9)}` }]
  return { type: result.type, data: { ...result.data, segments } } as StepResult
}
