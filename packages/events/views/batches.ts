import type { KnownBatch } from '#packages/domain/batch/state.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/** One batch, as lists show it. Everything else is in its own events. Instants are milliseconds since 1970. */
export type BatchDocument = Pick<
  KnownBatch,
  'orgId' | 'status' | 'reason' | 'held' | 'charged' | 'requestedAt' | 'endedAt'
> & {
  kind: KnownBatch['request']['kind']
  /** How many items there are, and how many have completed and failed. */
  items: number
  completed: number
  failed: number
}

type Requested = StoredEvent & { type: 'BatchRequested' }

const requested = ({ data, recordedAt: requestedAt }: Requested): BatchDocument => {
  const { orgId, request, held } = data
  const nothing = { reason: null, charged: 0, endedAt: null, items: 0, completed: 0, failed: 0 }
  return { orgId, kind: request.kind, status: 'running', requestedAt, held, ...nothing }
}

/** The document after one more event. Undefined for a batch that was never requested. */
function after(event: StoredEvent, current: BatchDocument | undefined): BatchDocument | undefined {
  if (event.type === 'BatchRequested') return requested(event)
  if (current === undefined) return undefined
  switch (event.type) {
    case 'BatchItemsAdded':
      return { ...current, items: current.items + event.data.items.length }
    case 'BatchItemsEnded':
      return counted(event, current)
    case 'BatchEnded':
      return { ...current, status: 'ended', endedAt: event.recordedAt, reason: event.data.reason }
    default:
      return current
  }
}

function counted({ data }: StoredEvent & { type: 'BatchItemsEnded' }, current: BatchDocument): BatchDocument {
  let { completed, failed, charged } = current
  for (const { code, again, charged: credits } of data.items) {
    charged += credits
    if (again !== null) continue
    if (code === null) completed += 1
    else if (code !== 'cancelled') failed += 1
  }
  return { ...current, completed, failed, charged }
}

export const batches: Projection<BatchDocument> = {
  name: 'batches',
  prefixes: ['batch-'],
  collection: { findBy: ['orgId'], pages: [{ where: ['orgId'], by: 'requestedAt' }] },
  changeOf(event) {
    if (!event.stream.startsWith('batch-') || event.type === 'BatchItemsBegun') return undefined
    return { id: event.stream.slice('batch-'.length), next: (current) => after(event, current) }
  },
  removedWith: goneWith('batch-', (id) => ({ id })),
}
