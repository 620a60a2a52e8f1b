import { loadStated } from '#packages/accounts/ledger/load-stated.ts'
import { asIfRecorded } from '#packages/domain/credits/credits.ts'
import { heldIn, type Ledger } from '#packages/domain/credits/ledger.ts'
import { job as jobDecider } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import { type Key, key as keyDecider } from '#packages/domain/key/key.ts'
import { type Evolution, fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from './history-store.ts'
import { backwardsFrom, revisionAt } from './search.ts'

/** A state as it was at an instant, and the last event that counts for it. */
export type AsOf<State> = {
  state: State
  /** The last event that counts; undefined if the stream had none yet. */
  last: Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'recordedAt'> | undefined
}

/** `held`: credits in open debits. */
export type Balance = Ledger & { held: number }

/**
 * The balance that the service would have shown at an instant, milliseconds since 1970. It is folded from the ledger up
 * to its last event recorded by then, with the renewal that was due.
 */
export async function balanceAsOf(store: HistoryStore, orgId: string, instant: number): Promise<AsOf<Balance>> {
  const stream = streams.credits(orgId)
  const revision = await revisionAt(store, stream, instant)
  // If no event was recorded by then, the ledger is empty.
  const { ledger: stored } = await loadStated(backwardsFrom(store, stream, revision ?? -1))
  const ledger = asIfRecorded(stored, instant)
  const [last] = revision === undefined ? [] : await store.read(stream, { from: revision, to: revision })
  return { state: { ...ledger, held: heldIn(ledger) }, last: placeOf(last) }
}

/** A job as its events had it at an instant, milliseconds since 1970. */
export const jobAsOf = (store: HistoryStore, jobId: string, instant: number): Promise<AsOf<Job>> =>
  stateAsOf(store, jobDecider, streams.job(jobId), instant)

/** The same for a key. */
export const keyAsOf = (store: HistoryStore, keyId: string, instant: number): Promise<AsOf<Key>> =>
  stateAsOf(store, keyDecider, streams.key(keyId), instant)

/** For a short stream, which is read as a whole. */
async function stateAsOf<State, Event extends { type: string }>(
  store: HistoryStore,
  evolution: Evolution<State, Event>,
  stream: string,
  instant: number,
): Promise<AsOf<State>> {
  const events = await store.read(stream)
  const until = events.findLastIndex(({ recordedAt }) => recordedAt <= instant)
  return { state: fold(evolution, events.slice(0, until + 1)), last: placeOf(events[until]) }
}

function placeOf(event: StoredEvent | undefined): AsOf<unknown>['last'] {
  if (event === undefined) return undefined
  const { stream, revision, position, recordedAt } = event
  return { stream, revision, position, recordedAt }
}
