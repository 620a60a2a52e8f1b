import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from './history-store.ts'
import { backwardsFrom, CLOCKS_DIFFER_MS, forwardsFrom, revisionAt } from './search.ts'

/** All that happened to one job: its own events and those of its debit, in the order in which they were stored. */
export type JobRecord = { jobId: string; orgId: string; events: StoredEvent[] }

/** A debit is that much older than its job at most, milliseconds: without a job it is refunded after 15 s. */
const DEBIT_BEFORE_MS = 60_000 + CLOCKS_DIFFER_MS

/**
 * Whether an event of a ledger is about a job: its debit, its settlement, or a refund that expired right after it.
 * @param before the event of this ledger that was found before
 */
export function isOfJob({ type, data, revision }: StoredEvent, jobId: string, before?: StoredEvent): boolean {
  if (type === 'CreditsDebited' || type === 'CreditsSettled') return data.jobId === jobId
  const follows = before?.type === 'CreditsSettled' && before.revision === revision - 1
  return follows && type === 'CreditsRenewed' && data.credits === 0
}

/** Reads a job; undefined where there is none. */
export async function readJob(store: HistoryStore, jobId: string): Promise<JobRecord | undefined> {
  const own = await store.read(streams.job(jobId))
  const [first] = own
  if (first === undefined) return undefined
  const { orgId } = first.metadata
  const credits = await creditsOf(store, { jobId, orgId, at: first.recordedAt })
  return { jobId, orgId, events: [...own, ...credits].sort((a, b) => a.position - b.position) }
}

/** @param job `at`: when its first event was recorded, milliseconds since 1970 */
async function creditsOf(
  store: HistoryStore,
  { jobId, orgId, at }: { jobId: string; orgId: string; at: number },
): Promise<StoredEvent[]> {
  const ledger = streams.credits(orgId)
  const around = (await revisionAt(store, ledger, at + CLOCKS_DIFFER_MS)) ?? -1
  const debit = await debitBefore(store, ledger, around, jobId, at - DEBIT_BEFORE_MS)
  if (debit === undefined) return []
  const found = [debit]
  for await (const event of forwardsFrom(store, ledger, debit.revision + 1)) {
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
