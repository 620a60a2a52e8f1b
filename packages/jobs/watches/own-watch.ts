import type { FoundVideo, Watch, WatchDetails } from '#contracts/generated/http.ts'
import { dueAt } from '#packages/domain/watch/due.ts'
import { type FoundVideo as Found, type KnownWatch, spentIn } from '#packages/domain/watch/state.ts'
import { sharedRequestOf } from '#packages/jobs/acceptance/request-without-url.ts'
import { offsetOf, type Source } from '#packages/platforms/sources/source.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { everyOf } from './every.ts'

/** A watch with its source, and with the request for each new video, as stored. */
type Own<Fields> = Omit<Fields, 'source' | 'then'> & {
  source: Source
  then: ReturnType<typeof sharedRequestOf> | null
}

/** One watch in a list, for its organization. */
export type ListedWatch = Own<Watch>

export type OwnWatch = Own<WatchDetails>

/** One video that it has found. */
export type OwnFound = FoundVideo

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

export const ownFound = ({ number, id, url, title, publishedAt, foundAt, jobId, code }: Found): OwnFound => ({
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
