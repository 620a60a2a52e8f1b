import { followJob } from '#packages/jobs/follow-job.ts'
import type { DashboardParts } from '../../parts.ts'
import type { OrgVisit, Route, Stream } from '../../route.ts'
import { ownedIn } from './job-routes.tsx'
import { historyOf } from './read-job.ts'
import { toldOf } from './told-events.ts'

type Parts = Pick<DashboardParts, 'history' | 'clock' | 'attempts' | 'sessions' | 'concurrency' | 'rates' | 'log'>

/** `/org/{orgId}/jobs/{jobId}/events`: the timeline of a job as it goes on. */
export const jobEventRoutes = (parts: Parts): Route[] => [
  { path: '/org/:orgId/jobs/:jobId/events', access: 'member', get: (visit) => eventsOf(parts, visit) },
]

/** The event after which to go on; 0: from the beginning. A browser that reconnects names the last one that it has. */
function afterOf({ query, lastEventId }: OrgVisit): number {
  const after = lastEventId ?? query.get('after') ?? ''
  return /^\d{1,15}$/.test(after) ? Number(after) : 0
}

async function eventsOf(parts: Parts, visit: OrgVisit): Promise<Stream> {
  const owned = ownedIn(visit)
  const { history, concurrency, rates, log } = parts
  await rates.ofPages('light', owned.orgId)
  const shown = await historyOf({ history }, owned)
  const over = concurrency.begin({ keyId: visit.visitor.session.hash, orgId: owned.orgId }, 1)
  return {
    type: 'stream',
    async run(send, signal) {
      try {
        for await (const { events, ended } of followJob(parts, { owned, shown, after: afterOf(visit) }, signal)) {
          if (!(await mayGoOn(parts, visit))) return
          for (const event of events) await send({ id: event.id, event: 'told', data: toldOf(event) })
          if (ended) return await send({ event: 'end', data: {} })
        }
      } catch (error) {
        // The headers are sent: the stream ends here, and its reader opens it again.
        log.warn({ err: error, jobId: owned.jobId }, 'a stream of events broke off')
      } finally {
        over()
      }
    },
  }
}

/** Whether the session goes on, and its person is still a member. */
async function mayGoOn({ sessions }: Parts, { sessionToken, org }: OrgVisit): Promise<boolean> {
  const visitor = sessionToken === undefined ? undefined : await sessions.who(sessionToken)
  return visitor?.account.memberships.some(({ orgId }) => orgId === org.orgId) === true
}
