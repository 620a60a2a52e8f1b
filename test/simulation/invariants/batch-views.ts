import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Fold } from './folds.ts'

/** The expected view of batches, made without the service's projection. */
export function applyToBatches(fold: Fold, { type, data, stream, recordedAt }: StoredEvent): void {
  if (!stream.startsWith('batch-')) return
  const id = stream.slice('batch-'.length)
  if (type === 'BatchRequested') {
    const { orgId, request, held } = data
    const sums = { items: 0, completed: 0, failed: 0, charged: 0, held }
    fold.set(id, {
      orgId,
      kind: request.kind,
      status: 'running',
      requestedAt: recordedAt,
      endedAt: null,
      reason: null,
      ...sums,
    })
  }
  const before = fold.get(id) as Record<'items' | 'completed' | 'failed' | 'charged', number> | undefined
  if (before === undefined) return
  if (type === 'BatchItemsAdded') fold.set(id, { ...before, items: before.items + data.items.length })
  if (type === 'BatchEnded') fold.set(id, { ...before, status: 'ended', endedAt: recordedAt, reason: data.reason })
  if (type !== 'BatchItemsEnded') return
  const over = data.items.filter(({ again }) => again === null)
  fold.set(id, {
    ...before,
    completed: before.completed + over.filter(({ code }) => code === null).length,
    failed: before.failed + over.filter(({ code }) => code !== null && code !== 'cancelled').length,
    charged: before.charged + data.items.reduce((sum, { charged }) => sum + charged, 0),
  })
}

/** How an event of a batch changes the balance, and which batches hold credits after it. */
export function heldAfter({ type, data }: StoredEvent, holds: readonly string[]): { change: number; holds: string[] } {
  if (type === 'CreditsHeld') return { change: -data.credits, holds: [...holds, data.batchId] }
  if (type === 'CreditsReleased') return { change: data.credits, holds: holds.filter((id) => id !== data.batchId) }
  const isInHold = (type === 'CreditsDebited' || type === 'CreditsSettled') && holds.includes(data.batch?.batchId ?? '')
  if (type === 'CreditsDebited' && !isInHold) return { change: -data.credits, holds: [...holds] }
  if (type === 'CreditsSettled' && !isInHold) return { change: data.refunded, holds: [...holds] }
  return { change: 0, holds: [...holds] }
}
