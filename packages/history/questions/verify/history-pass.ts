import { apply, draftOf, initialLedger } from '#packages/domain/credits/ledger.ts'
import { evolve as evolveJob, initialJob } from '#packages/domain/job/state.ts'
import type { KeyEvent } from '#packages/domain/key/key.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { Account } from './account.ts'
import type { Check, KnownLedger, Rest, Unexplained } from './check.ts'
import { placeOf } from './outcome.ts'
import { mayBeginLedger } from './revisions.ts'
import { Standstills } from './standstills.ts'
import type {
  EventOf,
  JobTrace,
  KeyTrace,
  LedgerTrace,
  StoredCreditsEvent,
  StoredJobEvent,
  StreamTrace,
} from './traces.ts'

const newStream = (): StreamTrace => ({ revision: -1, recordedAt: 0, orgId: undefined, isPartial: false })

/**
 * Passes the events of the feed to the checks, each with the traces of the events before it. In memory are the jobs
 * that have not both ended and been settled, the ledgers, the keys, and the last events of the other streams.
 */
export class HistoryPass {
  readonly standstills = new Standstills()
  readonly keys = new Map<string, KeyTrace>()
  /** Streams that a StreamsRemoved names, and when. */
  readonly #jobs = new Map<string, JobTrace>()
  readonly #ledgers = new Map<string, LedgerTrace>()
  readonly #others = new Map<string, StreamTrace>()
  readonly #unexplained = new Map<string, Unexplained>()
  #checks: readonly Check[] = []

  /** @param checks in the order in which they are called */
  use(checks: readonly Check[]): void {
    this.#checks = checks
  }

  take(event: StoredEvent): void {
    this.standstills.note(event.recordedAt)
    const { stream } = event
    if (stream.startsWith('job-')) this.#takeJob(event as StoredJobEvent)
    else if (stream.startsWith('credits-')) this.#takeCredits(event as StoredCreditsEvent)
    else if (stream.startsWith('key-')) this.#takeKey(event as EventOf<KeyEvent['type']>)
    else {
      const trace = entryOf(this.#others, stream, newStream)
      this.#meet(event, trace)
      passed(trace, event)
    }
  }

  rest(): Rest {
    return {
      jobs: this.#jobs.values(),
      ledgerOf: (orgId) => this.#ledgers.get(orgId),
      standstills: this.standstills,
      unexplained: this.#unexplained.values(),
    }
  }

  /** The streams were removed, so none of their events counts as missing. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      const id = name.slice(name.indexOf('-') + 1)
      if (name.startsWith('job-')) for (const jobs of [this.#jobs, this.#unexplained]) jobs.delete(id)
      else if (name.startsWith('credits-')) this.#ledgers.delete(id)
      else if (name.startsWith('key-')) this.keys.delete(id)
      else this.#others.delete(name)
    }
  }

  #meet(event: StoredEvent, stream: StreamTrace): void {
    if (stream.revision === -1 && event.revision > 0) stream.isPartial = true
    for (const { onEvent } of this.#checks) onEvent?.(event, stream)
  }

  #takeJob(event: StoredJobEvent): void {
    const trace = entryOf(this.#jobs, event.stream.slice('job-'.length), newJob)
    this.#meet(event, trace)
    if (!trace.isPartial) for (const { onJob } of this.#checks) onJob?.(event, trace)
    else if (trace.revision === -1) this.#leave('jobs that began before', ({ onJob }) => onJob !== undefined)
    trace.first ??= placeOf(event)
    if (event.type === 'JobRequested' && trace.debit === undefined) trace.isUnpaid = true
    if (event.type === 'JobCompleted' || event.type === 'JobFailed') trace.end ??= event
    trace.job = evolveJob(trace.job, event)
    passed(trace, event)
  }

  #takeCredits(event: StoredCreditsEvent): void {
    const orgId = event.stream.slice('credits-'.length)
    const ledger = entryOf(this.#ledgers, orgId, () => newLedger(event))
    this.#meet(event, ledger)
    if (ledger.draft === undefined) this.#begin(event, ledger)
    else this.#known(event, ledger as KnownLedger)
    passed(ledger, event)
  }

  /** A ledger that was not read from its beginning is known from its first statement on. */
  #begin(event: StoredCreditsEvent, ledger: LedgerTrace): void {
    if (event.type === 'CreditsSettled') this.#jobs.delete(event.data.jobId)
    const isFirst = ledger.revision === -1
    if (isFirst && !mayBeginLedger(event))
      this.#leave('ledgers that began before, up to their next statement', ({ onCredits }) => onCredits !== undefined)
    if (event.type !== 'CreditsStated') return
    ledger.draft = draftOf(initialLedger)
    apply(ledger.draft, event)
    for (const { jobId, credits } of event.data.openDebits) {
      const job = entryOf(this.#jobs, jobId, newJob)
      job.debit = { ...placeOf(event), credits, orgId: event.metadata.orgId, isStated: true }
      job.isUnpaid = false
    }
  }

  #leave(what: string, isOf: (check: Check) => boolean): void {
    for (const check of this.#checks) if (isOf(check)) check.verdict.left(what)
  }

  #known(event: StoredCreditsEvent, ledger: KnownLedger): void {
    const jobId = event.type === 'CreditsDebited' || event.type === 'CreditsSettled' ? event.data.jobId : undefined
    const job = jobId === undefined ? undefined : this.#jobs.get(jobId)
    for (const { onCredits } of this.#checks) onCredits?.(event, ledger, job)
    apply(ledger.draft, event)
    for (const { afterCredits } of this.#checks) afterCredits?.(event, ledger)
    if (event.type === 'CreditsDebited') this.#debited(event, job)
    if (event.type === 'CreditsSettled') this.#settled(event, job)
  }

  #debited(event: EventOf<'CreditsDebited'>, known: JobTrace | undefined): void {
    const { jobId, credits } = event.data
    const job = known ?? entryOf(this.#jobs, jobId, newJob)
    job.debit ??= { ...placeOf(event), credits, orgId: event.metadata.orgId, isStated: false }
    job.isUnpaid = false
  }

  /** The job has ended, and is forgotten. If it had no event of its own, the reason is found later. */
  #settled(settlement: EventOf<'CreditsSettled'>, job: JobTrace | undefined): void {
    const { jobId } = settlement.data
    this.#jobs.delete(jobId)
    if (job !== undefined && job.first === undefined && !(job.debit?.isStated ?? true))
      this.#unexplained.set(jobId, { jobId, debit: job.debit, settlement })
  }

  #takeKey(event: EventOf<KeyEvent['type']>): void {
    const trace = entryOf(this.keys, event.stream.slice('key-'.length), newKey)
    this.#meet(event, trace)
    if (event.type === 'KeyCreated') {
      const { scopes, monthlyCredits, expiresAt } = event.data
      trace.grants.push({ from: event.recordedAt, grant: { scopes, monthlyCredits, expiresAt } })
    } else if (event.type === 'KeyChanged') {
      const { monthlyCredits, expiresAt } = event.data
      const before = trace.grants.at(-1)?.grant
      if (before !== undefined)
        trace.grants.push({ from: event.recordedAt, grant: { ...before, monthlyCredits, expiresAt } })
    } else trace.revokedAt ??= event.recordedAt
    passed(trace, event)
  }
}

const newJob = (jobId: string): JobTrace => ({
  ...newStream(),
  jobId,
  debit: undefined,
  first: undefined,
  job: initialJob,
  end: undefined,
  isUnpaid: false,
})

const newKey = (): KeyTrace => ({ ...newStream(), grants: [], revokedAt: undefined })

function newLedger({ revision }: StoredCreditsEvent): LedgerTrace {
  const isWhole = revision === 0
  return {
    ...newStream(),
    draft: isWhole ? draftOf(initialLedger) : undefined,
    account: isWhole ? new Account() : undefined,
  }
}

function entryOf<Value>(all: Map<string, Value>, name: string, make: (name: string) => Value): Value {
  const known = all.get(name)
  if (known !== undefined) return known
  const made = make(name)
  all.set(name, made)
  return made
}

function passed(stream: StreamTrace, { revision, recordedAt, metadata }: StoredEvent): void {
  stream.revision = Math.max(stream.revision, revision)
  stream.recordedAt = recordedAt
  stream.orgId ??= metadata.orgId
}
