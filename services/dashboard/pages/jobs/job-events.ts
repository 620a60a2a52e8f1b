import type { TimelineEvent } from '#contracts/generated/http.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { followJob } from '#packages/jobs/status/follow-job.ts'
import type { ShownEvents } from '#packages/jobs/status/job-history.ts'
import type { DashboardParts } from '../../parts.ts'
import type { OrgPageContext, Route, Stream } from '../../route.ts'
import { ownedIn } from './job-routes.tsx'
import { historyOf } from './read-job.ts'
import { timelineEntryOf } from './timeline-entry-of.ts'

type Parts = Pick<DashboardParts, 'history' | 'clock' | 'attempts' | 'sessions' | 'concurrency' | 'log'>

/** `/org/{orgId}/jobs/{jobId}/events`: the timeline of a job as a live stream. */
export const jobEventRoutes = (parts: Parts): Route[] => [
  { path: '/org/:orgId/jobs/:jobId/events', access: 'member', get: (context) => eventsOf(parts, context) },
]

/** The event after which to continue; 0: from the beginning. A browser that reconnects sends the last one it has. */
function afterOf({ query, lastEventId }: OrgPageContext): number {
  const after = lastEventId ?? query.get('after') ?? ''
  return /^\d{1,15}$/.test(after) ? Number(after) : 0
}

async function eventsOf(parts: Parts, context: OrgPageContext): Promise<Stream> {
  const owned = ownedIn(context)
  const { history, concurrency, log } = parts
  const shown = await historyOf({ history }, owned)
  const over = concurrency.begin({ keyId: context.visitor.session.hash, orgId: owned.orgId }, 1)
  return {
    type: 'stream',
    async run(send, signal) {
      try {
        const progress = new SoundProgress(parts.attempts, owned.jobId, shown)
        for await (const { events, ended } of followJob(parts, { owned, shown, after: afterOf(context) }, signal)) {
          if (!(await mayGoOn(parts, context))) return
          for (const event of events) await send({ id: event.id, event: 'told', data: timelineEntryOf(event) })
          const done = progress.after(events)
          if (done !== undefined) await send({ event: 'progress', data: done })
          if (ended) return await send({ event: 'end', data: {} })
        }
      } catch (error) {
        // The headers are sent, so an error can only end the stream. Its reader opens it again.
        log.warn({ err: error, jobId: owned.jobId }, 'a stream of events broke off')
      } finally {
        over()
      }
    },
  }
}

/** How much of the sound is transcribed, if that happens in this process. */
class SoundProgress {
  readonly #attempts: Pick<AttemptsUnderWay, 'usedBy'>
  readonly #jobId: string
  #seconds: number
  #sent = 0

  constructor(attempts: Pick<AttemptsUnderWay, 'usedBy'>, jobId: string, { events }: ShownEvents) {
    this.#attempts = attempts
    this.#jobId = jobId
    this.#seconds = events.find((event) => event.type === 'VideoFetched')?.data.durationSeconds ?? 0
  }

  /** From 0 to 1; undefined: unchanged since the last call, or unknown. */
  after(events: readonly TimelineEvent[]): number | undefined {
    this.#seconds = events.find(({ type }) => type === 'video_found')?.durationSeconds ?? this.#seconds
    const used = this.#attempts.usedBy(this.#jobId)?.audioSeconds ?? 0
    const done = this.#seconds > 0 ? Math.min(1, Math.round((used / this.#seconds) * 100) / 100) : 0
    if (done === this.#sent) return undefined
    this.#sent = done
    return done
  }
}

/** Whether the session is still valid and its person still a member. */
async function mayGoOn({ sessions }: Parts, { sessionToken, org }: OrgPageContext): Promise<boolean> {
  const visitor = sessionToken === undefined ? undefined : await sessions.who(sessionToken)
  return visitor?.account.memberships.some(({ orgId }) => orgId === org.orgId) === true
}
