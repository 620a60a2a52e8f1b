import type { TimelineEvent } from '#contracts/generated/http.ts'
import { captionSources } from '#packages/content/captions/caption-sources.ts'
import { type JobEvent, RELEASED } from '#packages/domain/job/events.ts'
import { failureCodeOf } from '#packages/domain/job/failure.ts'
import { job as jobDecider, settlementOf } from '#packages/domain/job/job.ts'
import { deadlineOf, type Job } from '#packages/domain/job/state.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { ShownEvents } from './job-history.ts'

/** The part of a stored event that its owner sees. */
type Entry = Omit<TimelineEvent, 'id' | 'at'>

/** The most shown events for one stored event. Their ids derive from its revision, and never change. */
const PLACES = 4

/** Translates the stored events of one job, which may change with every version, to those that its owner sees. */
export class Timeline {
  #job: Job = jobDecider.initialState
  #budget: number | undefined
  /** The revision of the last translated event; -1 before the first. */
  revision = -1

  /** @param shown the events after {@link revision} */
  tell({ events, end }: ShownEvents): TimelineEvent[] {
    const entries = events.flatMap((event) => this.#add(event))
    const last = events.at(-1)
    return last === undefined || end !== 'settled' ? entries : [...entries, ...placed(last, this.#settled(), 1)]
  }

  /** Milliseconds since 1970. Undefined once the job has ended. */
  get deadlineAt(): number | undefined {
    return this.#job.status === 'open' ? this.#job.deadlineAt : undefined
  }

  #add(event: StoredEvent): TimelineEvent[] {
    this.revision = event.revision
    if (!isEventOf(jobDecider, event)) return []
    const before = this.#job
    this.#job = jobDecider.evolve(before, event)
    if (event.type === 'JobRequested') this.#budget = event.data.budget
    return placed(event, entriesOf(event, before))
  }

  /** The entries about the settlement. Empty for a job that was never accepted. */
  #settled(): Entry[] {
    const settlement = settlementOf(this.#job)
    if (settlement === undefined || this.#budget === undefined) return []
    const charged = Math.min(settlement.charged, this.#budget)
    return [{ type: 'credits_settled', charged, refunded: this.#budget - charged }]
  }
}

const placed = ({ revision, recordedAt }: StoredEvent, entries: readonly Entry[], from = 0): TimelineEvent[] =>
  entries.map(({ type, ...more }, index) => {
    return { id: revision * PLACES + from + index + 1, type, at: isoOf(recordedAt), ...more }
  })

/** A step that was released for some time waits for its turn at the platform. */
const reasonOf = (code: string, retryAfterSeconds: number): string =>
  code === RELEASED && retryAfterSeconds > 0 ? 'pace' : code

/** @param before the job before this event */
function entriesOf(event: JobEvent & { recordedAt: number }, before: Job): Entry[] {
  switch (event.type) {
    case 'JobRequested': {
      const { kind, url, mode, budget } = event.data
      return [{ type: 'accepted', kind, url, mode, credits: budget, deadlineAt: isoOf(deadlineOf(event)) }]
    }
    case 'StepStarted':
      return [{ type: 'step_started', step: event.data.step, attempt: event.data.attempt }]
    case 'StepFailed': {
      const { step, attempt, code, retryAfterSeconds } = event.data
      const until = isoOf(event.recordedAt + retryAfterSeconds * 1000)
      return [{ type: 'step_retry', step, attempt, reason: reasonOf(code, retryAfterSeconds), until }]
    }
    case 'VideoFetched': {
      const { platform, metadata, durationSeconds } = event.data
      return [{ type: 'video_found', platform, title: metadata.title, durationSeconds }, ...completed(before)]
    }
    case 'CaptionsRead': {
      const { language, source, segments } = event.data
      const found = {
        type: 'captions_found',
        language,
        source: captionSources[source],
        segments: segments.length,
      } as const
      return [found, ...completed(before)]
    }
    case 'CaptionsUnavailable':
      return [{ type: 'captions_unavailable', reason: event.data.reason }, ...completed(before)]
    case 'SpeechTranscribed': {
      const { language, segments } = event.data
      return [{ type: 'speech_transcribed', language, segments: segments.length }, ...completed(before)]
    }
    case 'ExtractionProduced':
      return completed(before)
    case 'JobCompleted':
      return [{ type: 'completed' }]
    case 'JobFailed': {
      const { code, message } = event.data
      return code === 'cancelled' ? [{ type: 'cancelled' }] : [{ type: 'failed', code: failureCodeOf(code), message }]
    }
    case 'LeaseExtended':
      return []
  }
}

function completed(before: Job): Entry[] {
  const claim = before.status === 'open' ? before.claim : undefined
  return claim === undefined ? [] : [{ type: 'step_completed', step: claim.step, attempt: claim.attempt }]
}
