/**
 * A projection to start from: counts the events of each type. Copy it, change it, and run it by `npm run history --
 * replay --projection FILE.ts`.
 */
import type { Projection } from './projection.ts'

/** The number of events by type. */
export const projection: Projection<Map<string, number>> = {
  initialState: () => new Map(),

  // `event.type` determines the fields of `event.data`: an editor completes both. Every event also has `stream`,
  // `recordedAt` (milliseconds since 1970) and `metadata`, with its organization's id.
  evolve(counts, event) {
    return counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
  },

  merge(one, other) {
    for (const [type, count] of other) one.set(type, (one.get(type) ?? 0) + count)
    return one
  },

  print: (counts) =>
    [...counts]
      .sort(([type, one], [other, count]) => count - one || type.localeCompare(other))
      .map(([type, count]) => `${String(count).padStart(12)}  ${type}`)
      .join('\n'),
}
