import type { EventMetadata } from '#contracts/generated/messages.ts'
import { statement } from '#packages/domain/credits/credits.ts'
import { monthAfter, periodOf, startOf } from '#packages/domain/credits/months.ts'
import { appendUntilAnswered, type GiveUp } from '#packages/event-store/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError, type StoredEvent } from '#packages/ports/event-store.ts'
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
  /** Reads what the ledger in memory lacks. */
  catchUp(): Promise<Folded>
}

/** Whether a ledger has events, the newest of them in the month of this instant. */
export const isOfMonth = ({ ledger, revision }: Folded, now: number): boolean =>
  revision !== 'no-stream' && ledger.recordedIn === periodOf(now)

/**
 * The ledger with the month in which the store has recorded its newest event, which may be an own one: the answer to an
 * append does not tell. Where this clock is in a later month still, a CreditsStated is appended. It changes nothing, and
 * the time at which it is recorded tells the month. If it is the earlier one, this clock is ahead, and the store is asked
 * again once that month is over.
 */
export async function learnMonth(ports: Ports, known: Folded, asking: Asking): Promise<Folded> {
  const { account, catchUp } = asking
  const { clock, log } = ports
  const now = clock.now()
  const before = dated(known, await newestOf(ports, account, known))
  if (before.ledger.recordedIn >= periodOf(now) || now < account.asksFrom) return before
  await state(ports, before, asking)
  const after = await catchUp()
  const newest = await newestOf(ports, account, after)
  const then = clock.now()
  if (newest === undefined || periodOf(newest.recordedAt) >= periodOf(then)) return after
  account.asksFrom = then + startOf(monthAfter(periodOf(newest.recordedAt))) - newest.recordedAt
  const aheadMs = then - newest.recordedAt
  if (aheadMs > AHEAD_MS)
    log?.warn(
      { alarm: 'clock_ahead', orgId: account.orgId, aheadMs },
      'this clock is ahead of the store: no month begins',
    )
  return after
}

async function newestOf({ store }: Ports, { orgId }: Account, { revision }: Folded): Promise<StoredEvent | undefined> {
  const at = endOf(revision)
  return (await store.read(streams.credits(orgId), { from: at, to: at }))[0]
}

const dated = (known: Folded, newest: StoredEvent | undefined): Folded =>
  newest === undefined ? known : { ...known, ledger: { ...known.ledger, recordedIn: periodOf(newest.recordedAt) } }

async function state(ports: Ports, { ledger, revision }: Folded, { account, metadata, giveUp }: Asking): Promise<void> {
  const stream = streams.credits(account.orgId)
  const event = statement(ledger)
  const stated = { ...event, id: eventId(stream, event.type, event.data), metadata }
  try {
    await appendUntilAnswered(ports, stream, revision, [stated], giveUp)
  } catch (error) {
    // Somebody else has appended: that tells the month as well.
    if (!(error instanceof RevisionConflictError)) throw error
  }
}
