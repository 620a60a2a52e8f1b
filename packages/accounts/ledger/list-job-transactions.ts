import type { CreditsTransaction } from '#contracts/generated/http.ts'
import { lastRevision } from '#packages/events/store/last-revision.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { listTransactions } from './list-transactions.ts'

type Store = Pick<EventStore, 'read' | 'readBackwards'>

/** A job, and where the store has its own events. */
export type JobPlace = {
  jobId: string
  /** The position of its first event. Its debit comes before that. */
  began: number
  /** The position of its last event, if it has ended. Its settlement comes after that. */
  ended: number | undefined
}

/** How many events of the ledger to search for a line, around the place where the job began or ended. */
const NEAR = 128

/** The first step back from the end of a ledger. */
const FIRST_STEP = 64

/**
 * The lines of an organization's ledger about one job, oldest first. The ledger has no index of jobs. The lines are
 * found by the job's beginning and end, so the length of the ledger costs little.
 */
export async function listJobTransactions(
  store: Store,
  orgId: string,
  { jobId, began, ended }: JobPlace,
): Promise<CreditsTransaction[]> {
  const stream = streams.credits(orgId)
  const last = (await lastRevision(store, stream)) ?? -1
  const isLine = (event: StoredEvent): boolean =>
    (event.type === 'CreditsDebited' || event.type === 'CreditsSettled') && event.data.jobId === jobId
  const near = async (position: number, before: number, after: number): Promise<number | undefined> => {
    const place = await firstAfter(store, stream, last, position)
    const events = await store.read(stream, { from: Math.max(0, place - before), to: place + after })
    return events.find(isLine)?.revision
  }
  const revisions = await Promise.all([near(began, NEAR, -1), ended === undefined ? undefined : near(ended, 0, NEAR)])
  const lines = revisions
    .filter((revision) => revision !== undefined)
    .map(async (revision) => {
      const page = await listTransactions(store, orgId, { cursor: String(revision + 1), limit: 1 })
      return page.transactions
    })
  return (await Promise.all(lines)).flat()
}

/** The revision of a stream's first event after a position. One beyond the last if there is none. */
async function firstAfter(store: Store, stream: string, last: number, position: number): Promise<number> {
  const isAfter = async (revision: number): Promise<boolean> => {
    const [event] = await store.read(stream, { from: revision, to: revision })
    // An event that no longer exists came before the existing ones.
    return event !== undefined && event.position > position
  }
  let high = last + 1
  let low = high
  // Most jobs that are viewed are young: back from the end, in growing steps.
  for (let step = FIRST_STEP; low > 0; step *= 4) {
    low = Math.max(0, high - step)
    if (!(await isAfter(low))) break
    high = low
  }
  while (low < high) {
    const middle = (low + high) >> 1
    if (await isAfter(middle)) high = middle
    else low = middle + 1
  }
  return high
}
