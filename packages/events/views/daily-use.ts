import { isUsed, type Used } from '#packages/domain/job/used.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/**
 * The paid services that the jobs of all organizations used on one day (UTC). The id is the day, such as `2026-01-31`.
 * Only use that events record is counted: for a successful attempt in its result, for a failed one in its failure. So
 * no attempt counts twice. A transcript reused from an earlier job used nothing. If an attempt was killed, released, or
 * abandoned at its job's deadline, its use is unknown and not counted.
 */
export type DailyUseDocument = {
  /** Audio transcribed by speech-to-text, seconds. */
  speechSeconds: number
  /** Tokens sent to the language model and answered by it. */
  tokens: number
}

export const nothingUsed: DailyUseDocument = { speechSeconds: 0, tokens: 0 }

/**
 * The paid services that one organization's jobs used, and the unpaid part. Unpaid are jobs that used paid services,
 * but ended because of what their owner did or requested (`JobFailed.unpaid`). Their number is compared with that of
 * the charged jobs.
 */
export type OrganizationUseDocument = DailyUseDocument & {
  chargedJobs: number
  unpaidJobs: number
  unpaid: DailyUseDocument
}

export const nothingUsedByOne: OrganizationUseDocument = {
  ...nothingUsed,
  chargedJobs: 0,
  unpaidJobs: 0,
  unpaid: nothingUsed,
}

/** The day (UTC) of an instant, milliseconds since 1970. */
export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** The use that an event adds; undefined if it adds none. */
function useOf(event: StoredEvent): DailyUseDocument | undefined {
  switch (event.type) {
    case 'SpeechTranscribed':
      return { ...nothingUsed, speechSeconds: event.data.reused ? 0 : (event.data.audioSeconds ?? 0) }
    case 'ExtractionProduced':
      return { ...nothingUsed, tokens: sumOf(event.data.tokens) }
    case 'StepFailed':
    case 'JobFailed': {
      const { used } = event.data
      // Most failures use nothing, and leave the document unchanged.
      return used !== null && isUsed(used) ? useIn(used) : undefined
    }
    default:
      return undefined
  }
}

const useIn = ({ audioSeconds, tokens }: Used): DailyUseDocument => ({
  speechSeconds: audioSeconds,
  tokens: sumOf(tokens),
})

const sumOf = ({ input, output }: { input: number; output: number }): number => input + output

const sum = (one: DailyUseDocument, other: DailyUseDocument): DailyUseDocument => ({
  speechSeconds: one.speechSeconds + other.speechSeconds,
  tokens: one.tokens + other.tokens,
})

/** For all organizations together. */
export const dailyUse: Projection<DailyUseDocument> = {
  name: 'dailyUse',
  prefixes: ['job-'],
  collection: {},
  changeOf(event) {
    const use = useOf(event)
    if (use === undefined) return undefined
    return {
      id: dayOf(event.recordedAt),
      written: 'later',
      next(before = nothingUsed) {
        return sum(before, use)
      },
    }
  },
}

/** The id of the use of one organization on one day: `ORG/DAY`. */
export const organizationUseId = (orgId: string, day: string): string => `${orgId}/${day}`

/** The use that an event adds to its organization. Undefined if it adds none. */
function useOfOne(event: StoredEvent): OrganizationUseDocument | undefined {
  const use = useOf(event)
  if (event.type === 'JobCompleted' && event.data.credits > 0) return { ...nothingUsedByOne, ...use, chargedJobs: 1 }
  if (event.type === 'JobFailed' && event.data.unpaid !== undefined)
    return { ...nothingUsedByOne, ...use, unpaidJobs: 1, unpaid: useIn(event.data.unpaid) }
  return use !== undefined && use.speechSeconds + use.tokens > 0 ? { ...nothingUsedByOne, ...use } : undefined
}

/** For each organization separately. */
export const organizationUse: Projection<OrganizationUseDocument> = {
  name: 'organizationUse',
  prefixes: ['job-'],
  collection: {},
  changeOf(event) {
    const use = useOfOne(event)
    if (use === undefined) return undefined
    const id = organizationUseId(event.metadata.orgId, dayOf(event.recordedAt))
    return {
      id,
      written: 'later',
      next(before = nothingUsedByOne) {
        return sumOfOne(before, use)
      },
    }
  },
  removedWith: goneWith('credits-', (orgId) => ({ idPrefix: `${orgId}/` })),
}

const sumOfOne = (one: OrganizationUseDocument, other: OrganizationUseDocument): OrganizationUseDocument => ({
  ...sum(one, other),
  chargedJobs: one.chargedJobs + other.chargedJobs,
  unpaidJobs: one.unpaidJobs + other.unpaidJobs,
  unpaid: sum(one.unpaid, other.unpaid),
})
