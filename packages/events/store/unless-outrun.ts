import { RevisionConflictError, StreamRemovedError } from '#packages/ports/event-store.ts'

/** Another writer appended first, or the stream was removed: the feed brings the change. @throws any other error */
export function unlessOutrun(error: unknown): undefined {
  if (!(error instanceof RevisionConflictError || error instanceof StreamRemovedError)) throw error
}
