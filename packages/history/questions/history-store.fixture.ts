import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import type { HistoryStore } from './history-store.ts'

const PAGE = 100

/** An event as a store returns it. */
export const stored = (
  event: DomainEvent,
  { causationId = 'request-1', ...place }: Partial<StoredEvent> & { causationId?: string | undefined },
): StoredEvent =>
  ({
    ...event,
    ...{ id: `event-${place.position}`, stream: 'credits-org-1', revision: 0, position: 1, recordedAt: 0 },
    metadata: { orgId: 'org-1', correlationId: 'j1', causationId, traceparent: '' },
    ...place,
  }) as StoredEvent

/** A store with these events, in the order of their positions. It counts the reads of streams. */
export function storeOf(events: readonly StoredEvent[]): HistoryStore & { reads: number } {
  const byStream = Map.groupBy(events, ({ stream }) => stream)
  return {
    reads: 0,
    async read(stream, { from = 0, to = Number.MAX_SAFE_INTEGER } = {}) {
      this.reads++
      return (byStream.get(stream) ?? []).filter(({ revision }) => revision >= from && revision <= to)
    },
    async *readBackwards(stream) {
      this.reads++
      yield* [...(byStream.get(stream) ?? [])].reverse()
    },
    async *follow({ after, prefixes, signal }) {
      const rest = events.filter(({ position }) => position > after)
      for (let at = 0; at < rest.length && !signal.aborted; at += PAGE) {
        const page = rest.slice(at, at + PAGE)
        const wanted = page.filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)))
        yield { events: wanted, position: page.at(-1)?.position ?? after, caughtUp: at + PAGE >= rest.length }
      }
      if (rest.length === 0) yield { events: [], position: after, caughtUp: true }
    },
  }
}

/** The golden histories, all streams in one store. */
export const goldenStore = (): ReturnType<typeof storeOf> => storeOf(readHistories().flatMap(({ events }) => events))
