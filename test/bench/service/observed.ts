import type { Views } from '#packages/ports/views.ts'

/** Calls `onSettled` for each settlement that a view has applied. */
export function observed(views: Views, onSettled: (jobId: string) => void): Views {
  const apply = views.apply.bind(views)
  views.apply = async (changes, to) => {
    await apply(changes, to)
    for (const change of changes)
      if (change.collection === 'jobs' && 'id' in change && change.fields.settled === true) onSettled(change.id)
  }
  return views
}
