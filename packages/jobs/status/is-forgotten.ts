import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

/** True from the decision to delete the content of a job on. Its streams are removed after that. */
export const isForgotten = async (store: Pick<EventStore, 'read'>, jobId: string): Promise<boolean> =>
  (await store.read(streams.removal(jobId), { from: 0, to: 0 })).length > 0
