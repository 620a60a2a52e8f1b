import type { Change, Projection } from '#packages/events/views/projection.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { GuardedChange, GuardedRemoval, GuardedWrite } from '#packages/ports/views.ts'

/** A change of one document by an event, or a removal of documents. */
export type Step = ChangeStep | GuardedRemoval
export type ChangeStep = Change & { collection: string; position: number }

/** Documents by their keys. */
type Documents = { get(key: string): GuardedWrite | undefined; keys(): Iterable<string> }

export const keyOf = ({ collection, id }: { collection: string; id: string }): string => `${collection} ${id}`

/** The steps of the projections for these events, in the order of the events. */
export function stepsOf(projections: readonly Projection[], events: readonly StoredEvent[]): Step[] {
  const steps: Step[] = []
  for (const event of events) {
    for (const projection of projections) {
      const at = { collection: projection.name, position: event.position }
      const change = projection.changeOf(event)
      if (change) steps.push({ ...change, ...at })
      for (const removes of removalsOf(projection, event)) steps.push({ ...at, removes })
    }
  }
  return steps
}

function removalsOf(projection: Projection, event: StoredEvent): GuardedRemoval['removes'][] {
  if (event.type !== 'StreamsRemoved') return []
  return event.data.streams.map((stream) => projection.removedWith?.(stream)).filter((removes) => removes !== undefined)
}

/**
 * The removals, and each changed document that remains, once, after all its steps. A store may write them in any order:
 * a document that is created again has a later position than its removal.
 * @param documents the documents that the steps change, as they were before
 */
export function changesOf(steps: readonly Step[], documents: ReadonlyMap<string, GuardedWrite>): GuardedChange[] {
  const standing = new Map(documents)
  const removals: GuardedRemoval[] = []
  const changed = new Map<string, GuardedWrite>()
  for (const step of steps) {
    if ('removes' in step) {
      removals.push(step)
      for (const key of removedKeys(step, standing)) {
        standing.delete(key)
        changed.delete(key)
      }
      continue
    }
    const key = keyOf(step)
    const write = writeOf(step, standing.get(key))
    if (write === undefined) continue
    standing.set(key, write)
    changed.delete(key)
    changed.set(key, write)
  }
  return [...removals, ...changed.values()]
}

/** The document after a step; undefined if it does not exist, or is already newer than the step. */
function writeOf({ collection, id, position, next }: ChangeStep, current?: GuardedWrite): GuardedWrite | undefined {
  if (current !== undefined && current.position >= position) return undefined
  const fields = next(current?.fields)
  return fields && { collection, id, position, fields }
}

/** The keys of the documents that a removal affects. */
export function removedKeys({ collection, position, removes }: GuardedRemoval, documents: Documents): string[] {
  const isOlder = (key: string): boolean => (documents.get(key)?.position ?? position) < position
  if ('id' in removes) return [keyOf({ collection, id: removes.id })].filter(isOlder)
  const prefix = keyOf({ collection, id: removes.idPrefix })
  return [...documents.keys()].filter((key) => key.startsWith(prefix) && isOlder(key))
}
