import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import { type Proceeding, proceed } from './proceed.ts'
import { type AddedItem, type Batch, type BatchEvent, type CancelReason, evolve } from './state.ts'

/** Credits that are held for a batch which is not asked for completely are released after this time, milliseconds. */
export const NOT_ACCEPTED_AFTER_MS = 60_000

/** Items that are added at once. `next`: from where a source is read on. */
export type Added = { items: readonly AddedItem[]; isLast: boolean; next: string | null }

/** The commands of a batch; {@link batch} names their senders. `now`: when it is decided, milliseconds since 1970. */
export type BatchCommand =
  | ({ type: 'request'; batch: EventData['BatchRequested'] } & Added)
  | ({ type: 'add'; from: number } & Added)
  /** `by`: the API key; null: none. */
  | { type: 'cancel'; reason: CancelReason; by: string | null }
  | ({ type: 'proceed' } & Proceeding)
  | { type: 'refuse'; heldAt: number; now: number }

/**
 * A batch of jobs, from the request to its end.
 *
 * As a job it lies between two events of its organization's credits: CreditsHeld comes first, CreditsReleased last. In
 * between, each command has its sender:
 *
 * - `request`, from who accepts it, together with the hold where the store can: BatchRequested, and the first items.
 * - `add`, from who accepts it, or from the owner where a source is read: BatchItemsAdded.
 * - `cancel`, from its organization, or from the owner once the key is revoked: BatchCancelled.
 * - `proceed`, from the owner, once a second at most: what has ended and what begins, and in the end BatchEnded.
 * - `refuse`, from the owner, for a hold that no BatchRequested has followed: BatchEnded `not_accepted`.
 *
 * What is here is the whole truth about the items. The owner appends BatchItemsBegun before it asks for their jobs, and
 * the id of a job follows from batch, item and attempt: to begin one again changes nothing.
 */
export const batch: Decider<Batch, BatchCommand, BatchEvent> = {
  eventTypes: [
    'BatchRequested',
    'BatchItemsAdded',
    'BatchItemsBegun',
    'BatchItemsEnded',
    'BatchCancelled',
    'BatchEnded',
  ],
  initialState: { status: 'none' },
  evolve,

  decide(command, state) {
    if (state.status === 'none') return begin(command)
    if (state.status !== 'running') return []
    switch (command.type) {
      case 'add':
        return command.from === state.items.length && !state.isComplete ? [added(command.from, command)] : []
      case 'cancel':
        return state.cancelled === null
          ? [{ type: 'BatchCancelled', data: { reason: command.reason, by: command.by } }]
          : []
      case 'proceed':
        return proceed(state, command)
      default:
        return []
    }
  },
}

function begin(command: BatchCommand): BatchEvent[] {
  if (command.type === 'request') {
    const requested: BatchEvent = { type: 'BatchRequested', data: command.batch }
    // Those of a source are read later.
    return command.items.length === 0 && !command.isLast ? [requested] : [requested, added(0, command)]
  }
  if (command.type !== 'refuse' || command.now < command.heldAt + NOT_ACCEPTED_AFTER_MS) return []
  const nothing = { completed: 0, failed: 0, cancelled: 0, charged: 0, returned: 0, webhookId: null }
  return [{ type: 'BatchEnded', data: { reason: 'not_accepted', ...nothing } }]
}

const added = (from: number, { items, isLast, next }: Added): BatchEvent => ({
  type: 'BatchItemsAdded',
  data: { from, items: [...items], isLast, next },
})
