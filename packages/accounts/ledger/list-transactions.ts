import type { CreditsTransaction, CreditsTransactionList } from '#contracts/generated/http.ts'
import { credits } from '#packages/domain/credits/credits.ts'
import { apply, type CreditsEvent, draftOf, initialLedger } from '#packages/domain/credits/ledger.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { lastRevision } from '#packages/events/store/last-revision.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

export type TransactionsQuestion = {
  /** The `nextCursor` of the previous page: the revision that it ended with. */
  cursor: string | undefined
  /** Lines of one page. */
  limit: number
}

type Store = Pick<EventStore, 'read' | 'readBackwards'>

/** An event of a ledger, as it was stored. */
type LedgerEvent = StoredEvent & CreditsEvent

type LineEvent = Exclude<CreditsEvent, { type: 'CreditsStated' }>

/** Events per read. */
const EVENTS_PER_READ = 256

/** A statement repeats known facts: it is not a line. */
const isLine = (event: LedgerEvent): event is LedgerEvent & LineEvent => event.type !== 'CreditsStated'

/**
 * The statement that begins a ledger that retention has truncated: its first line.
 * @param events the oldest of the ledger, oldest first
 */
const openingOf = (events: readonly LedgerEvent[]): LedgerEvent | undefined =>
  events[0]?.revision === 0 ? undefined : events.find(({ type }) => type === 'CreditsStated')

type Line = Pick<CreditsTransaction, 'type' | 'reason' | 'jobId' | 'operation' | 'keyId' | 'batchId'>

const aboutNoJob = { jobId: null, operation: null, keyId: null, batchId: null }

/** The parts of a line beside its time and its amount. */
function lineOf({ type, data }: LineEvent): Line {
  switch (type) {
    case 'CreditsGranted':
      return { type: 'grant', reason: data.reason, ...aboutNoJob }
    case 'PlanChanged':
      return { type: 'plan_change', reason: data.plan, ...aboutNoJob }
    case 'CreditsRenewed':
      return { type: 'renewal', reason: data.period, ...aboutNoJob }
    case 'CreditsHeld':
    case 'CreditsReleased': {
      const { batchId, keyId } = data
      return { ...aboutNoJob, type: type === 'CreditsHeld' ? 'hold' : 'release', reason: null, keyId, batchId }
    }
    case 'CreditsDebited': {
      const { jobId, operation, keyId } = data
      return { type: 'debit', reason: null, jobId, operation, keyId, batchId: data.batch?.batchId ?? null }
    }
    case 'CreditsSettled': {
      const { jobId, operation, keyId, reason } = data
      return { type: 'settlement', reason, jobId, operation, keyId, batchId: data.batch?.batchId ?? null }
    }
  }
}

/** @throws ServiceError invalid_request for a cursor that was never a `nextCursor` */
function revisionOf(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw unknownCursor()
}

const unknownCursor = () => invalidRequest({ path: 'cursor', message: 'is not a cursor that this list returned' })

/** The events of a ledger before a revision, newest first. All if it is undefined. */
async function* backwards(store: Store, stream: string, before: number | undefined): AsyncIterable<StoredEvent> {
  if (before === undefined) return yield* store.readBackwards(stream)
  for (let to = before - 1; to >= 0; to -= EVENTS_PER_READ) {
    const events = await store.read(stream, { from: Math.max(0, to - EVENTS_PER_READ + 1), to })
    // A ledger may be truncated, even between two pages: then there is no more.
    if (events.length === 0 && to <= ((await lastRevision(store, stream)) ?? -1)) return
    if (events.at(-1)?.revision !== to) throw unknownCursor()
    yield* events.reverse()
  }
}

/**
 * One page of an organization's ledger, newest first, directly from its events. The balances are folded from the last
 * CreditsStated before the page, or from the beginning. So a page costs the same, however long the ledger is.
 * @throws ServiceError invalid_request for a cursor that was never given
 */
export async function listTransactions(
  store: Store,
  orgId: string,
  { cursor, limit }: TransactionsQuestion,
): Promise<CreditsTransactionList> {
  const before = cursor === undefined ? undefined : revisionOf(cursor)
  const events: LedgerEvent[] = []
  let lines = 0
  let isWhole = true
  // One line more than the page holds shows that there is a next page.
  for await (const event of backwards(store, streams.credits(orgId), before)) {
    if (!isEventOf(credits, event)) continue
    events.push(event)
    isWhole = event.type !== 'CreditsStated' || lines <= limit
    if (!isWhole) break
    if (isLine(event)) lines++
  }
  events.reverse()
  const all = withBalances(events, isWhole ? openingOf(events) : undefined).reverse()
  const page = all.slice(0, limit)
  const last = page.at(-1)
  return {
    transactions: page.map(({ transaction }) => transaction),
    nextCursor: all.length > limit && last !== undefined ? String(last.revision) : null,
  }
}

const openingLine = { type: 'opening', reason: null, ...aboutNoJob } as const

/** The lines among these events, oldest first, each with its change of the balance. */
function withBalances(
  events: readonly LedgerEvent[],
  opening: LedgerEvent | undefined,
): { revision: number; transaction: CreditsTransaction }[] {
  const ledger = draftOf(initialLedger)
  return events.flatMap((event) => {
    const before = ledger.balance
    apply(ledger, event)
    const line = event === opening ? openingLine : isLine(event) ? lineOf(event) : undefined
    if (line === undefined) return []
    const { balance } = ledger
    const { revision, recordedAt } = event
    return [{ revision, transaction: { ...line, createdAt: isoOf(recordedAt), amount: balance - before, balance } }]
  })
}
