import { dueAt } from '#packages/domain/watch/due.ts'
import { type FoundVideo, type KnownWatch, spentIn } from '#packages/domain/watch/state.ts'
import { sharedRequestOf } from '#packages/jobs/acceptance/request-without-url.ts'
import { offsetOf, type Source } from '#packages/platforms/sources/source.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { type Every, everyOf } from './every.ts'

/** The request for each new video. */
export type Then = { operation: 'transcript' | 'extraction'; options: object }

/** One watch in a list, for its organization. Times are ISO 8601. */
export type ListedWatch = {
  watchId: string
  source: Source
  every: Every
  then: Then | null
  maxCreditsPerMonth: number | null
  status: KnownWatch['status']
  /** Why it is paused. Null: it is not. */
  reason: KnownWatch['reason']
  /** Why the newest looks could not read the source, and since when. Null: they could. */
  failure: { code: string; since: string } | null
  /** How many videos it has found, which is the number of the newest. */
  found: number
  createdAt: string
  createdBy: string | null
  /** Looks without new videos are recorded once an hour. */
  lastLookAt: string | null
  /** Null: it is paused. */
  nextLookAt: string | null
}

export type OwnWatch = ListedWatch & { creditsThisMonth: number }

/** One video that it has found. `code`: why it has no job. */
export type OwnFound = {
  number: number
  id: string
  url: string
  title: string | null
  publishedAt: string | null
  foundAt: string
  jobId: string | null
  code: string | null
}

type Shown = Omit<KnownWatch, 'seen' | 'found' | 'spent'>

export function listedWatch(watchId: string, watch: Shown, now: number): ListedWatch {
  const { request, failure, lookedAt, status } = watch
  const source = watch.source as Source
  return {
    watchId,
    source,
    every: everyOf(watch.everySeconds),
    // biome-ignore lint/suspicious/noThenProperty: the name that the API gives it; it is never a function
    then: request && sharedRequestOf(request),
    maxCreditsPerMonth: watch.maxCreditsPerMonth,
    status,
    reason: watch.reason,
    failure: failure && { code: failure.code, since: isoOf(failure.since) },
    found: watch.newest,
    createdAt: isoOf(watch.createdAt),
    createdBy: watch.keyId,
    lastLookAt: lookedAt === null ? null : isoOf(lookedAt),
    nextLookAt: status === 'on' ? isoOf(nextLookAt(watch, source, now)) : null,
  }
}

export const ownWatch = (watchId: string, watch: KnownWatch, now: number): OwnWatch => ({
  ...listedWatch(watchId, watch, now),
  creditsThisMonth: spentIn(watch, now).reduce((sum, { credits }) => sum + credits, 0),
})

export const ownFound = ({ number, id, url, title, publishedAt, foundAt, jobId, code }: FoundVideo): OwnFound => ({
  number,
  id,
  url,
  title,
  publishedAt: publishedAt === null ? null : isoOf(publishedAt),
  foundAt: isoOf(foundAt),
  jobId,
  code,
})

/** Looks without new videos are not always recorded. So the next look is computed, and never in the past. */
function nextLookAt(watch: Shown, source: Source, now: number): number {
  const offset = offsetOf(source)
  const due = dueAt(watch, offset, watch.lookedAt)
  return due > now || watch.lookedAt === null ? due : dueAt(watch, offset, now)
}
