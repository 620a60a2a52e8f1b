import type { EventStore } from '#packages/ports/event-store.ts'

/** The revision of a stream's last event; undefined if it has none. */
export async function lastRevision(
  store: Pick<EventStore, 'readBackwards'>,
  stream: string,
): Promise<number | undefined> {
  for await (const { revision } of store.readBackwards(stream)) return revision
  return undefined
}
