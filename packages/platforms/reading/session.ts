import { hash } from 'node:crypto'
import { mayAskDirectHost } from '#packages/domain/job/retry.ts'
import type { Exit, Exits } from '#packages/egress/exits.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Reading } from '../platform.ts'

/** Names the exit address of a reader: the same on every machine, and another one after each refusal. */
export const sessionOf = ({ owner, refusals }: Pick<Reading, 'owner' | 'refusals'>): string =>
  hash('sha256', `${owner} ${refusals}`).slice(0, 16)

/** The way out of a reader. */
export const exitOf = (exits: Exits, platform: string | undefined, reading: Reading): Exit =>
  exits.of({ platform, session: sessionOf(reading), organization: reading.organization, onWait: reading.onWait })

/** How a job reads: all its steps leave by one exit address, until the platform refuses it. */
export function readingOf({ jobId, job, events, signal }: ReadingJob): Reading {
  const refused = events.filter(({ type, data }) => type === 'StepFailed' && data.code === 'platform_blocked')
  const last = events.findLast(({ type }) => type === 'StepFailed' || type === 'VideoFetched')
  const again = last?.type === 'StepFailed' && last.data.code === 'upstream_error'
  const exhausted = !mayAskDirectHost(events)
  return {
    owner: jobId,
    organization: job.orgId,
    refusals: refused.length,
    ...(again && { again }),
    ...(exhausted && { exhausted }),
    signal,
  }
}

type ReadingJob = { jobId: string; job: { orgId: string }; events: readonly StoredEvent[]; signal: AbortSignal }
