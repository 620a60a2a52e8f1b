import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import { type Proceeding, proceed } from './proceed.ts'
import { type AddedItem, type Batch, type BatchEvent, type CancelReason, evolve } from './state.ts'

/** If a batch is not requested completely within this time, its held credits are released, milliseconds. */
export const NOT_ACCEPTED_AFTER_MS = 60_000

/** Items that are added at once. `next`: where to continue reading a source. */
export type Added = { items: readonly AddedItem[]; isLast: boolean; next: string | null }

/**
 * The commands of a batch; {@link batch} names their senders. `now`: the time of the decision, milliseconds since 1970.
 */
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
 * Like a job, it lies between two events of its organization's credits: CreditsHeld comes first, CreditsReleased last.
 * In between, each command has its sender:
 *
 * - `request`, from acceptance, together with the hold if the store supports that: BatchRequested, and the first items.
 * - `add`, from acceptance, or from the owner when it reads a source: BatchItemsAdded.
 * - `cancel`, from its organization, or from the owner once the key is revoked: BatchCancelled.
 * - `proceed`, from the owner, once a second at most: the items that end and begin, and finally BatchEnded.
 * - `refuse`, from the owner, for a hold without a BatchRequested: BatchEnded `not_accepted`.
 *
 * This stream is the only truth about the items. The owner appends BatchItemsBegun before it requests their jobs. The
 * id of a job follows from batch, item and attempt, so requesting one again changes nothing.
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
    // A batch with a source has no items yet: its owner reads them later.
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
