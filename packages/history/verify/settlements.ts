import type { HistoryStore } from '../history-store.ts'
import type { Check, Unexplained } from './check.ts'
import { GRACE_MS } from './ends.ts'
import { Verdict } from './outcome.ts'
import type { EventOf, JobTrace, StoredEnd } from './traces.ts'

/** Invariant 3. */
export function settlements(store: HistoryStore, isRemoved: (stream: string) => boolean): Check {
  const verdict = new Verdict(
    '3',
    'a job is debited once and settled once, as it ended; a failed job is refunded in full',
  )

  function settled(event: EventOf<'CreditsSettled'>, { end, first, debit }: JobTrace): void {
    const { charged, refunded, reason } = event.data
    const wrong = (what: string): void => verdict.broken(event, what)
    if (end === undefined) {
      // Without any event of the job it is not known yet whether its stream was removed.
      if (first !== undefined) wrong('it settles a job that has not ended')
      return
    }
    const cost = end.type === 'JobCompleted' ? Math.min(end.data.credits, debit?.credits ?? 0) : 0
    if (charged !== cost) wrong(`${charged} credits are charged for ${end.type}, and the job costs ${cost}`)
    if (reason !== reasonOf(end)) wrong(`it names ${reason}, and the job ended with ${reasonOf(end)}`)
    if (charged + refunded !== debit?.credits) wrong(`${charged} + ${refunded} credits are not the ${debit?.credits} debited`)
  }

  async function explain({ jobId, debit, settlement }: Unexplained): Promise<void> {
    const stream = `job-${jobId}`
    const events = await store.read(stream)
    const end = events.find(({ type }) => type === 'JobCompleted' || type === 'JobFailed')
    if (end === undefined) verdict.broken(settlement, 'it settles a job that there never was')
    else verdict.broken(debit ?? settlement, `it is one more debit of a job that has ended, at position ${end.position}`)
  }

  return {
    verdict,
    onJob(event, { debit }) {
      if (event.type !== 'JobRequested' || debit === undefined) return
      if (event.data.budget !== debit.credits)
        verdict.broken(event, `its budget is ${event.data.budget} credits, and ${debit.credits} were debited`)
    },
    onCredits(event, { draft }, job) {
      if (event.type === 'CreditsDebited') {
        if (draft.openDebits.has(event.data.jobId)) verdict.broken(event, 'it debits a job whose debit is open')
        else if (job?.isUnpaid) verdict.broken(event, 'its job was requested before it was debited')
        else if (job?.end !== undefined) verdict.broken(event, 'its job had ended before')
      }
      if (event.type !== 'CreditsSettled') return
      verdict.checked()
      if (!draft.openDebits.has(event.data.jobId)) verdict.broken(event, 'it settles a debit that is not open')
      else if (job !== undefined && !job.isPartial) settled(event, job)
      else verdict.left('settlements of jobs that began before')
    },
    async atEnd({ jobs, ledgerOf, standstills, unexplained }) {
      for (const one of unexplained) if (!isRemoved(`job-${one.jobId}`)) await explain(one)
      for (const { end, debit, isUnpaid, first, orgId = '' } of jobs) {
        const ledger = ledgerOf(orgId)
        // Of a ledger whose older events were given up or not read, the debit and the settlement may be among them.
        const isKnown = ledger === undefined || !ledger.isPartial || debit !== undefined
        if (isUnpaid && first !== undefined && isKnown) verdict.broken(first, 'the job was never debited')
        const isDue = end !== undefined && standstills.workedBetween(end.recordedAt, standstills.last) > GRACE_MS
        if (end !== undefined && isDue && debit !== undefined) verdict.broken(end, 'the job was never settled')
      }
    },
  }
}

const reasonOf = (end: StoredEnd): string => (end.type === 'JobCompleted' ? 'completed' : end.data.code)
