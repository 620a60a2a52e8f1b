import type { ExpectedRevision } from '#packages/ports/event-store.ts'

/** A stream at the moment of an append. */
export type StreamEnd = {
  /** Revision of its last event; -1 if it has none. */
  last: number
  /** Ids of up to `count` events from revision `from` on, in order. */
  idsFrom(from: number, count: number): readonly string[]
}

export type AppendDecision =
  | { kind: 'write'; firstRevision: number }
  /** A repeat of an earlier call. Its events end at `revision`; the stream ends at `actual`. */
  | { kind: 'repeat'; revision: number; actual: number }
  | { kind: 'conflict'; actual: ExpectedRevision }

/**
 * Decides whether to write an append, or whether it is a repeat or a conflict. Follows the rule of {@link
 * EventStore.append}. EventStoreDB applies the same rule to exact revisions and to streams that do not exist.
 */
export function decideAppend(end: StreamEnd, expected: ExpectedRevision, ids: readonly string[]): AppendDecision {
  const expectedLast = expected === 'no-stream' ? -1 : expected
  if (expectedLast === end.last) return { kind: 'write', firstRevision: end.last + 1 }
  const revision = expectedLast + ids.length
  if (revision <= end.last) {
    const stored = end.idsFrom(expectedLast + 1, ids.length)
    if (ids.every((id, index) => stored[index] === id)) return { kind: 'repeat', revision, actual: end.last }
  }
  return { kind: 'conflict', actual: end.last === -1 ? 'no-stream' : end.last }
}

/**
 * Appends that are made together count as a repeat only as a whole. If one is stored already and another is not, the
 * stored one belongs to an earlier call and is a conflict.
 * @returns the index of the first such append and the end of its stream; undefined if there is none
 */
export function repeatedInPart(
  decisions: readonly AppendDecision[],
): { index: number; actual: ExpectedRevision } | undefined {
  if (decisions.every(({ kind }) => kind === 'repeat')) return undefined
  for (const [index, decision] of decisions.entries())
    if (decision.kind === 'repeat') return { index, actual: decision.actual }
  return undefined
}
