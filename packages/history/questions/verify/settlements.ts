import { NOT_ACCEPTED_AFTER_MS } from '#packages/domain/job/job.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from '../history-store.ts'
import type { Check, Unexplained } from './check.ts'
import { GRACE_MS } from './ends.ts'
import { type EventPlace, Verdict } from './outcome.ts'
import type { Standstills } from './standstills.ts'
import type { EventOf, JobTrace, StoredEnd } from './traces.ts'

/** Invariant 3. */
export function settlements(store: HistoryStore, wasRemoved: (stream: string) => Promise<boolean>): Check {
  const verdict = new Verdict(
    '3',
    'a job is debited once and settled once, as it ended; a failed job is refunded in full',
  )

  function settled(event: EventOf<'CreditsSettled'>, { end, first, debit }: JobTrace): void {
    const { charged, refunded, reason } = event.data
    if (end === undefined) {
      // Without any event of the job it is not known yet whether its stream was removed.
      if (first !== undefined) verdict.broken(event, 'it settles a job that has not ended')
      return
    }
    const cost = end.type === 'JobCompleted' ? Math.min(end.data.credits, debit?.credits ?? 0) : 0
    if (charged !== cost)
      verdict.broken(event, `${charged} credits are charged for ${end.type}, and the job costs ${cost}`)
    if (reason !== reasonOf(end)) verdict.broken(event, `it names ${reason}, and the job ended with ${reasonOf(end)}`)
    if (charged + refunded !== debit?.credits)
      verdict.broken(event, `${charged} + ${refunded} credits are not the ${debit?.credits} debited`)
  }

  const endOf = async (jobId: string): Promise<StoredEvent | undefined> =>
    (await store.read(streams.job(jobId))).find(({ type }) => type === 'JobCompleted' || type === 'JobFailed')

  async function explain({ jobId, debit, settlement }: Unexplained): Promise<void> {
    const end = await endOf(jobId)
    if (end !== undefined) secondDebit(debit ?? settlement, end)
    else if (await wasRemoved(streams.job(jobId))) verdict.left('settlements of jobs whose stream was removed')
    else verdict.broken(settlement, 'it settles a job that there never was')
  }

  const secondDebit = (debit: EventPlace, { position }: EventPlace): void =>
    verdict.broken(debit, `it is one more debit of a job that has ended, at position ${position}`)

  /** A debit without an event of its job. */
  async function explainDebit({ jobId, debit }: JobTrace, standstills: Standstills): Promise<void> {
    if (debit === undefined || debit.isStated) return
    const refusedAt = debit.recordedAt + NOT_ACCEPTED_AFTER_MS
    if (standstills.workedBetween(refusedAt, standstills.last) <= GRACE_MS) return
    const end = await endOf(jobId)
    if (end !== undefined) secondDebit(debit, end)
    else verdict.broken(debit, 'its job never began, and it was not refunded')
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
    },
    async atEnd({ jobs, ledgerOf, standstills, unexplained }) {
      for (const one of unexplained) await explain(one)
      for (const job of jobs) {
        const { end, debit, isUnpaid, first, orgId = '' } = job
        // If the older events of a ledger were truncated or not read, the debit and the settlement may be among them.
        const isKnown = ledgerOf(orgId)?.isPartial !== true
        if (isUnpaid && first !== undefined && isKnown) verdict.broken(first, 'the job was never debited')
        const isDue = end !== undefined && standstills.workedBetween(end.recordedAt, standstills.last) > GRACE_MS
        if (end !== undefined && isDue && debit !== undefined) verdict.broken(end, 'the job was never settled')
        if (first === undefined) await explainDebit(job, standstills)
      }
    },
  }
}

const reasonOf = (end: StoredEnd): string => (end.type === 'JobCompleted' ? 'completed' : end.data.code)
