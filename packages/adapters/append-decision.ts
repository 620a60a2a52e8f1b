import type { ExpectedRevision } from '#packages/ports/event-store.ts'

/** A stream at the moment of an append. */
export type StreamEnd = {
  /** Revision of its last event; -1 when it has none. */
  last: number
  /** Ids of up to `count` events from `from` on, in order. */
  idsFrom(from: number, count: number): readonly string[]
}

export type AppendDecision =
  | { kind: 'write'; firstRevision: number }
  /** A repeat of an earlier call, whose events end at `revision`. */
  | { kind: 'repeat'; revision: number }
  | { kind: 'conflict'; actual: ExpectedRevision }

/**
 * Whether an append is to be written, is a repeat or is in conflict. The rule of {@link EventStore.append}:
 * EventStoreDB does the same for exact revisions and for streams that do not exist.
 */
export function decideAppend(end: StreamEnd, expected: ExpectedRevision, ids: readonly string[]): AppendDecision {
  const expectedLast = expected === 'no-stream' ? -1 : expected
  if (expectedLast === end.last) return { kind: 'write', firstRevision: end.last + 1 }
  const revision = expectedLast + ids.length
  if (revision <= end.last) {
    const stored = end.idsFrom(expectedLast + 1, ids.length)
    if (ids.every((id, index) => stored[index] === id)) return { kind: 'repeat', revision }
  }
  return { kind: 'conflict', actual: end.last === -1 ? 'no-stream' : end.last }
}
