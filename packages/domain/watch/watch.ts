import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import {
  EMPTY,
  evolve,
  failingSince,
  isKnown,
  type KnownWatch,
  type NewVideo,
  type PauseReason,
  type Watch,
  type WatchEvent,
} from './state.ts'

/** The result of a look. `failure`: why the source could not be read; null: it was read. */
export type LookResult = { found: readonly NewVideo[]; seen: readonly string[]; failure: string | null }

export type BegunJob = EventData['WatchJobsBegun']['jobs'][number]

/** `now`: the time of the decision, milliseconds since 1970. */
export type WatchCommand =
  | { type: 'create'; watch: EventData['WatchCreated'] }
  | ({ type: 'look'; now: number } & LookResult)
  | { type: 'begin'; jobs: readonly BegunJob[] }
  | ({ type: 'change' } & EventData['WatchChanged'])
  | { type: 'pause'; orgId: string; reason: PauseReason }
  | { type: 'resume'; orgId: string }
  | { type: 'remove'; orgId: string }

/** A source that cannot be read for this long has ended, milliseconds. */
const SOURCE_ENDS_AFTER_MS = 7 * 24 * 60 * 60 * 1000

/** A watch is paused if no member of its organization was seen for this long, milliseconds. */
const UNSEEN_AFTER_MS = 90 * 24 * 60 * 60 * 1000

/** Whether a visit was too long ago to keep a watch on. Both in milliseconds since 1970. */
export const isLongAgo = (seenAt: number, now: number): boolean => seenAt < now - UNSEEN_AFTER_MS

/** With these failures, a source that was never read does not exist. */
const finalFailures: readonly string[] = ['not_found', 'invalid_request', 'too_long']

/** A look without news is recorded if the last recorded look is older than this, milliseconds. */
export const NOTED_EVERY_MS = 60 * 60 * 1000

/**
 * A watch finds the new videos of a source. Each is found once, by its id. Jobs are requested in the order of the
 * numbers, so requesting one again changes nothing.
 */
export const watch: Decider<Watch, WatchCommand, WatchEvent> = {
  eventTypes: [
    'WatchCreated',
    'WatchLooked',
    'WatchJobsBegun',
    'WatchChanged',
    'WatchPaused',
    'WatchResumed',
    'WatchRemoved',
  ],
  initialState: { status: 'none' },
  evolve,

  decide(command, state) {
    if (command.type === 'create') return state.status === 'none' ? [{ type: 'WatchCreated', data: command.watch }] : []
    if (!isKnown(state)) return []
    const { orgId } = state
    if ('orgId' in command && command.orgId !== orgId) return []
    switch (command.type) {
      case 'look':
        return look(state, command)
      case 'begin':
        return begin(state, command.jobs)
      case 'change': {
        const { type: _, ...data } = command
        return [{ type: 'WatchChanged', data }]
      }
      case 'pause':
        return state.status === 'on' ? [{ type: 'WatchPaused', data: { orgId, reason: command.reason } }] : []
      case 'resume':
        return state.status === 'paused' ? [{ type: 'WatchResumed', data: { orgId } }] : []
      case 'remove':
        return [{ type: 'WatchRemoved', data: { orgId } }]
    }
  },
}

function look(state: KnownWatch, { now, failure, ...result }: LookResult & { now: number }): WatchEvent[] {
  if (state.status !== 'on') return []
  const found = [...new Map(result.found.map((video) => [video.id, video])).values()].filter(
    ({ id }) => !state.seen.has(id),
  )
  const foundIds = new Set(found.map(({ id }) => id))
  const seen = [...new Set(result.seen)].filter((id) => !state.seen.has(id) && !foundIds.has(id))
  const isNews = found.length + seen.length > 0 || failure !== (state.failure?.code ?? null) || !state.isBased
  if (!isNews && state.lookedAt !== null && now < state.lookedAt + NOTED_EVERY_MS) return []
  const { orgId, webhookId, looks } = state
  const looked: WatchEvent = { type: 'WatchLooked', data: { orgId, look: looks + 1, webhookId, found, seen, failure } }
  if (!hasEnded(state, failure, now)) return [looked]
  return [looked, { type: 'WatchPaused', data: { orgId, reason: 'source' } }]
}

/** Whether to give the source up. */
function hasEnded(state: KnownWatch, failure: string | null, now: number): boolean {
  if (failure === null || failure === EMPTY) return false
  if (!state.isBased && finalFailures.includes(failure)) return true
  return now - (failingSince(state) ?? now) >= SOURCE_ENDS_AFTER_MS
}

function begin(state: KnownWatch, jobs: readonly BegunJob[]): WatchEvent[] {
  const [first, ...more] = jobs.filter(({ number }) => number > state.begun && number <= state.newest)
  return first === undefined ? [] : [{ type: 'WatchJobsBegun', data: { orgId: state.orgId, jobs: [first, ...more] } }]
}
