import type { Views } from '#packages/ports/views.ts'

/** Calls `onSettled` for each settlement that a view has applied. */
export function observed(views: Views, onSettled: (jobId: string) => void): Views {
  const apply = views.apply.bind(views)
  views.apply = async (projections, writes, checkpoint) => {
    await apply(projections, writes, checkpoint)
    for (const { collection, id, fields } of writes) if (collection === 'jobs' && fields.settled === true) onSettled(id)
  }
  return views
}
