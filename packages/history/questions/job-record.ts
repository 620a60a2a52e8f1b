import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from './history-store.ts'
import { backwardsFrom, CLOCKS_DIFFER_MS, forwardsFrom, revisionAt } from './search.ts'

/**
 * Everything that happened to one job: its own events and those of its debit, in the order in which they were stored.
 */
export type JobRecord = { jobId: string; orgId: string; events: StoredEvent[] }

/** A debit is at most this much older than its job, milliseconds. Without a job it is refunded after 15 s. */
const DEBIT_BEFORE_MS = 60_000 + CLOCKS_DIFFER_MS

/**
 * True if an event of a ledger is about a job: its debit, its settlement, or a refund that expired right after it.
 * @param before the previous event of this ledger that was found
 */
export function isOfJob({ type, data, revision }: StoredEvent, jobId: string, before?: StoredEvent): boolean {
  if (type === 'CreditsDebited' || type === 'CreditsSettled') return data.jobId === jobId
  const follows = before?.type === 'CreditsSettled' && before.revision === revision - 1
  return follows && type === 'CreditsRenewed' && data.credits === 0
}

/** Reads a job; undefined if there is none. */
export async function readJob(store: HistoryStore, jobId: string): Promise<JobRecord | undefined> {
  const own = await store.read(streams.job(jobId))
  const [first] = own
  if (first === undefined) return undefined
  const { orgId } = first.metadata
  const ended = own.find(({ type }) => type === 'JobCompleted' || type === 'JobFailed')
  const credits = await creditsOf(store, streams.credits(orgId), {
    jobId,
    beganAt: first.recordedAt,
    endedAt: ended?.recordedAt,
  })
  return { jobId, orgId, events: [...own, ...credits].sort((a, b) => a.position - b.position) }
}

/** When a job began and ended, milliseconds since 1970; `endedAt` is undefined for an open one. */
type Span = { jobId: string; beganAt: number; endedAt: number | undefined }

/**
 * A ledger may be long. So the debit is searched around the job's beginning, and the other events from the job's end
 * on.
 */
async function creditsOf(
  store: HistoryStore,
  ledger: string,
  { jobId, beganAt, endedAt }: Span,
): Promise<StoredEvent[]> {
  const begun = (await revisionAt(store, ledger, beganAt + CLOCKS_DIFFER_MS)) ?? -1
  const debit = await debitBefore(store, ledger, begun, jobId, beganAt - DEBIT_BEFORE_MS)
  if (debit === undefined || endedAt === undefined) return debit === undefined ? [] : [debit]
  const found = [debit]
  const end = (await revisionAt(store, ledger, endedAt - CLOCKS_DIFFER_MS)) ?? 0
  for await (const event of forwardsFrom(store, ledger, Math.max(debit.revision + 1, end))) {
    const before = found.at(-1)
    if (isOfJob(event, jobId, before)) found.push(event)
    else if (before?.type !== 'CreditsDebited') break
  }
  return found
}

async function debitBefore(
  store: HistoryStore,
  ledger: string,
  revision: number,
  jobId: string,
  earliest: number,
): Promise<StoredEvent | undefined> {
  for await (const event of backwardsFrom(store, ledger, revision)) {
    if (event.type === 'CreditsDebited' && event.data.jobId === jobId) return event
    if (event.recordedAt < earliest) return undefined
  }
  return undefined
}
