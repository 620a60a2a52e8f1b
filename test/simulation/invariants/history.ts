import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Organization } from '../organizations.ts'
import type { World } from '../world.ts'
import { type EventOf, ofType } from './raw-events.ts'

/** Everything that a run left behind, sorted as the checks need it. */
export type History = {
  world: World
  organizations: readonly Organization[]
  /** All events, also those that were removed later. */
  events: readonly StoredEvent[]
  /** Events of each job's own stream, by job id. */
  jobs: ReadonlyMap<string, readonly StoredEvent[]>
  /** Events of each organization's credits. */
  ledgers: ReadonlyMap<string, readonly StoredEvent[]>
  debits: ReadonlyMap<string, readonly EventOf<'CreditsDebited'>[]>
  settlements: ReadonlyMap<string, readonly EventOf<'CreditsSettled'>[]>
  /** The decision by which each stream is removed: the first one that names it. */
  removals: ReadonlyMap<string, EventOf<'StreamsRemoved'>>
}

/** Returns the violations; none if the invariant holds. */
export type Check = (history: History) => string[] | Promise<string[]>

const streamsOf = (events: readonly StoredEvent[], prefix: string): Map<string, StoredEvent[]> =>
  Map.groupBy(
    events.filter(({ stream }) => stream.startsWith(prefix)),
    ({ stream }) => stream.slice(prefix.length),
  )

export function historyOf(world: World, organizations: readonly Organization[], events: StoredEvent[]): History {
  return {
    world,
    organizations,
    events,
    jobs: streamsOf(events, 'job-'),
    ledgers: streamsOf(events, 'credits-'),
    debits: Map.groupBy(ofType(events, 'CreditsDebited'), ({ data }) => data.jobId),
    settlements: Map.groupBy(ofType(events, 'CreditsSettled'), ({ data }) => data.jobId),
    removals: new Map(
      ofType(events.toReversed(), 'StreamsRemoved').flatMap((event) =>
        event.data.streams.map((stream) => [stream, event] as const),
      ),
    ),
  }
}

export const requestOf = (job: readonly StoredEvent[]): EventOf<'JobRequested'> | undefined =>
  ofType(job, 'JobRequested')[0]

export const endOf = (job: readonly StoredEvent[]): EventOf<'JobCompleted'> | EventOf<'JobFailed'> | undefined =>
  job.find((event) => event.type === 'JobCompleted' || event.type === 'JobFailed') as EventOf<'JobFailed'> | undefined
