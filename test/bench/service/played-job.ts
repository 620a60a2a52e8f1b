import { randomUUID } from 'node:crypto'
import { type CreditsCommand, decideTogether, inMonthOf } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { JobEvent } from '#packages/domain/job/events.ts'
import type { EventStore, StreamAppend } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { NO_CAPTIONS, transcript, video } from './noop-steps.ts'
import { type Account, debitOf, recorded, requested, started } from './past-jobs.ts'

/** The appends of one job, as the services would make them one after the other. */
export type PlayedJob = { stages: readonly StreamAppend[]; settlement: StreamAppend }

/** The events that the workers append, one entry for each append. */
const worked: readonly JobEvent[][] = [
  [started('fetch')],
  [{ type: 'VideoFetched', data: video }, started('caption')],
  [{ type: 'CaptionsUnavailable', data: NO_CAPTIONS }],
  [started('speech-to-text')],
]

/** The first job of an organization. */
export function playedJob({ orgId, credits, revision }: Account): PlayedJob {
  const jobId = randomUUID()
  const debit = onLedger(orgId, jobId, debitOf(jobId), { credits, revision })
  const settle: CreditsCommand = { type: 'settle', jobId, charged: 5, reason: 'completed' }
  const ended: JobEvent[] = [
    { type: 'SpeechTranscribed', data: transcript(8) },
    { type: 'JobCompleted', data: { orgId, kind: 'transcript', credits: 5 } },
  ]
  return {
    stages: [debit.append, ...ofJob(orgId, jobId, [[requested(orgId)], ...worked, ended])],
    settlement: onLedger(orgId, jobId, settle, debit.after).append,
  }
}

export async function play(store: EventStore, append: StreamAppend | undefined): Promise<void> {
  if (append !== undefined) await store.append(append.stream, append.expected, append.events)
}

type At = { credits: Ledger; revision: number }

function onLedger(orgId: string, jobId: string, command: CreditsCommand, at: At): { append: StreamAppend; after: At } {
  const stream = streams.credits(orgId)
  const { events, after } = decideTogether([command], inMonthOf(at.credits, Date.now()))
  const all = events.map((event, index) => recorded(event, stream, orgId, jobId, index))
  return {
    append: { stream, expected: at.revision, events: all },
    after: { credits: after, revision: at.revision + all.length },
  }
}

function ofJob(orgId: string, jobId: string, appends: readonly JobEvent[][]): StreamAppend[] {
  const stream = streams.job(jobId)
  let revision = -1
  return appends.map((events) => {
    const expected = revision < 0 ? 'no-stream' : revision
    revision += events.length
    return { stream, expected, events: events.map((event) => recorded(event, stream, orgId, jobId)) }
  })
}
