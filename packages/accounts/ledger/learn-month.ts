import type { EventMetadata } from '#contracts/generated/messages.ts'
import { inMonthOf, statement } from '#packages/domain/credits/credits.ts'
import { monthAfter, periodOf, startOf } from '#packages/domain/credits/months.ts'
import { appendUntilAnswered, type GiveUp } from '#packages/events/store/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError } from '#packages/ports/event-store.ts'
import { eventId, type Ids, streams } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Account } from './account.ts'
import { endOf } from './known-ledger.ts'
import type { Folded } from './load-stated.ts'

/** A clock this far ahead of the store's is logged, milliseconds. */
const AHEAD_MS = 60_000

type Ports = { store: EventStore; clock: Clock; ids: Ids; log?: Logger }

type Asking = {
  account: Account
  metadata: EventMetadata
  giveUp: GiveUp
  /** Reads the events that the ledger in memory lacks. */
  catchUp(): Promise<Folded>
}

/** Whether the newest event of a ledger is in the month of this instant. False without events. */
export const isOfMonth = ({ ledger, revision }: Folded, now: number): boolean =>
  revision !== 'no-stream' && ledger.recordedIn === periodOf(now)

/**
 * Finds out the current month for a ledger, if this clock is in another month than the ledger in memory. The month of a
 * ledger is the month in which the store recorded its newest event.
 *
 * 1. Read that event. This process may have appended it in this month, because the answer to an append does not contain
 *   its time.
 * 2. If the event is of an earlier month than this clock's, append a CreditsStated. It changes nothing, but its
 *   recorded time shows the month.
 * 3. If the month is still the earlier one, this clock is ahead. Append nothing more before that month is over.
 */
export async function learnMonth(ports: Ports, known: Folded, asking: Asking): Promise<Folded> {
  const { account, catchUp } = asking
  const { clock } = ports
  const newestAt = await recordedAt(ports, account, known)
  const on = newestAt === undefined ? known : { ...known, ledger: inMonthOf(known.ledger, newestAt) }
  const now = clock.now()
  if (on.ledger.recordedIn >= periodOf(now) || now < account.asksFrom) return on
  await state(ports, on, asking)
  const after = await catchUp()
  if (after.ledger.recordedIn < periodOf(now)) await askLater(ports, account, after)
  return after
}

/** When the store recorded the newest event of a ledger. Undefined if that event is gone. */
async function recordedAt({ store }: Ports, { orgId }: Account, { revision }: Folded): Promise<number | undefined> {
  const at = endOf(revision)
  return (await store.read(streams.credits(orgId), { from: at, to: at }))[0]?.recordedAt
}

/** Appends the ledger's current state. */
async function state(ports: Ports, { ledger, revision }: Folded, { account, metadata, giveUp }: Asking): Promise<void> {
  const stream = streams.credits(account.orgId)
  const event = statement(ledger)
  const stated = { ...event, id: eventId(stream, event.type, event.data), metadata }
  try {
    await appendUntilAnswered(ports, stream, revision, [stated], giveUp)
  } catch (error) {
    // Another process has appended: that shows the month as well.
    if (!(error instanceof RevisionConflictError)) throw error
  }
}

/**
 * Decides when to ask again: this clock is ahead of the store's. Until the next month, the store's clock needs as long
 * as it needed when the event was recorded.
 */
async function askLater(ports: Ports, account: Account, on: Folded): Promise<void> {
  const storeTime = await recordedAt(ports, account, on)
  if (storeTime === undefined) return
  const now = ports.clock.now()
  account.asksFrom = now + startOf(monthAfter(periodOf(storeTime))) - storeTime
  const aheadMs = now - storeTime
  if (aheadMs <= AHEAD_MS) return
  const fields = { alarm: 'clock_ahead', orgId: account.orgId, aheadMs }
  ports.log?.warn(fields, 'this clock is ahead of the store: no month begins')
}
