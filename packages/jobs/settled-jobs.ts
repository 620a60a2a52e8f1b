import type { FeedReader } from '#packages/event-sourcing/follow.ts'
import type { Views } from '#packages/ports/views.ts'

/** Reads of which jobs the end will soon be in the views, so that polls that wait for it look for it then. */
export const settledJobs = (views: Pick<Views, 'expectChange'>): FeedReader => ({
  prefixes: ['credits-'],
  take({ events }) {
    for (const event of events)
      if (event.type === 'CreditsSettled') views.expectChange('jobs', event.data.jobId, event.position)
  },
})
