import type { EventData } from '#contracts/generated/events.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { periodOf } from '../credits/months.ts'

export type WatchEvent = DomainEvent<
  'WatchCreated' | 'WatchLooked' | 'WatchJobsBegun' | 'WatchChanged' | 'WatchPaused' | 'WatchResumed' | 'WatchRemoved'
>

export type PauseReason = EventData['WatchPaused']['reason']

/** A new video, as events record it. */
export type NewVideo = EventData['WatchLooked']['found'][number]

/**
 * A video that was found. `number`: its number in the watch, from 1 on. `jobId`, `code`: null until its job was
 * requested.
 */
export type FoundVideo = NewVideo & { number: number; foundAt: number; jobId: string | null; code: string | null }

/** A watch, folded from its stream. Instants are milliseconds since 1970. */
export type KnownWatch = EventData['WatchCreated'] & {
  status: 'on' | 'paused'
  /** Why it is paused; null: it is not. */
  reason: PauseReason | null
  createdAt: number
  /** When it was created or last resumed. */
  onSince: number
  /** How many looks were recorded, and when the newest was; null: none. */
  looks: number
  lookedAt: number | null
  /** Whether its source was read once, so that its earlier videos are known. */
  isBased: boolean
  /** Why the source cannot be read, and since when; null: it can. */
  failure: { code: string; since: number } | null
  /** Ids of all videos that were seen. */
  seen: ReadonlySet<string>
  /** The newest found videos, oldest first. */
  found: readonly FoundVideo[]
  /** The number of the newest found video, and of the newest one with a requested job. */
  newest: number
  begun: number
  /** The jobs of one month with their debits. */
  spent: { period: string; jobs: readonly { jobId: string; credits: number }[] }
}

export type Watch = { status: 'none' } | { status: 'removed'; orgId: string } | KnownWatch

export const isKnown = (watch: Watch): watch is KnownWatch => watch.status === 'on' || watch.status === 'paused'

/** How much one watch remembers. */
const MAX_SEEN = 20_000
const MAX_FOUND = 5000

/** Videos with a job still to be requested, oldest first. */
export const pendingIn = ({ request, found, begun }: KnownWatch): FoundVideo[] =>
  request === null ? [] : found.filter(({ number }) => number > begun)

/** The debits for jobs of a watch in the month of an instant. */
export const spentIn = ({ spent }: KnownWatch, now: number): KnownWatch['spent']['jobs'] =>
  spent.period === periodOf(now) ? spent.jobs : []

export function evolve(state: Watch, event: Recorded<WatchEvent>): Watch {
  const at = event.recordedAt
  if (event.type === 'WatchCreated') return state.status === 'none' ? created(event.data, at) : state
  if (!isKnown(state)) return state
  switch (event.type) {
    case 'WatchLooked':
      return looked(state, event.data, at)
    case 'WatchJobsBegun':
      return begun(state, event.data, at)
    case 'WatchChanged':
      return { ...state, ...event.data }
    case 'WatchPaused':
      return { ...state, status: 'paused', reason: event.data.reason }
    case 'WatchResumed':
      return { ...state, status: 'on', reason: null, onSince: at, failure: null }
    case 'WatchRemoved':
      return { status: 'removed', orgId: state.orgId }
  }
}

const created = (data: EventData['WatchCreated'], at: number): KnownWatch => ({
  ...data,
  status: 'on',
  reason: null,
  createdAt: at,
  onSince: at,
  looks: 0,
  lookedAt: null,
  isBased: false,
  failure: null,
  seen: new Set(),
  found: [],
  newest: 0,
  begun: 0,
  spent: { period: '', jobs: [] },
})

/** The failure of a source that could be read and was empty. */
export const EMPTY = 'empty'

/** Since when the source cannot be read; undefined: it can. */
export const failingSince = ({ failure }: KnownWatch): number | undefined =>
  failure === null || failure.code === EMPTY ? undefined : failure.since

function looked(state: KnownWatch, data: EventData['WatchLooked'], at: number): KnownWatch {
  const { found, seen, failure, look } = data
  const note = { ...state, looks: look, lookedAt: at }
  if (failure !== null) return { ...note, failure: { code: failure, since: failingSince(state) ?? at } }
  const read = { ...note, isBased: true, failure: null }
  if (found.length + seen.length === 0) return read
  const added = found.map((video, i) => ({
    ...video,
    number: state.newest + i + 1,
    foundAt: at,
    jobId: null,
    code: null,
  }))
  return {
    ...read,
    seen: new Set([...state.seen, ...seen, ...found.map(({ id }) => id)].slice(-MAX_SEEN)),
    found: [...state.found, ...added].slice(-MAX_FOUND),
    newest: state.newest + found.length,
  }
}

function begun(state: KnownWatch, { jobs }: EventData['WatchJobsBegun'], at: number): KnownWatch {
  const byNumber = new Map(jobs.map((each) => [each.number, each]))
  const debits = jobs.flatMap(({ jobId, credits }) => (jobId === null ? [] : [{ jobId, credits }]))
  return {
    ...state,
    begun: jobs.at(-1)?.number ?? state.begun,
    found: state.found.map((video) => {
      const asked = byNumber.get(video.number)
      return asked === undefined ? video : { ...video, jobId: asked.jobId, code: asked.code }
    }),
    spent: { period: periodOf(at), jobs: [...spentIn(state, at), ...debits] },
  }
}
