import type { EventData } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { shardOfStream } from '#packages/ports/shards.ts'
import { goneWith, type Projection } from './projection.ts'

/**
 * Paid services used on one day (UTC) by jobs of one shard, of all organizations. The id is `DAY/SHARD`, such as
 * `2026-01-31/5`: each shard has sums of its own.
 *
 * Only use that is in events is counted: that of a successful attempt is in its result, that of a failed one in its
 * failure. So no attempt counts twice. A transcript reused from an earlier job counts again, because its event is the
 * same. The use of an attempt that was killed, released, or abandoned at its job's deadline is unknown and not counted.
 */
export type DailyUseDocument = {
  /** The sum that it is a part of: the day. */
  partOf: string
  /** Audio transcribed by speech-to-text, seconds. */
  speechSeconds: number
  /** Tokens sent to the language model and answered by it. */
  tokens: number
}

export type Use = Omit<DailyUseDocument, 'partOf'>

export const nothingUsed: Use = { speechSeconds: 0, tokens: 0 }

/** The day (UTC) of an instant, milliseconds since 1970. */
export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** The use that an event adds; undefined where it adds none. */
function useOf(event: StoredEvent): Use | undefined {
  switch (event.type) {
    case 'SpeechTranscribed':
      return { ...nothingUsed, speechSeconds: event.data.audioSeconds ?? 0 }
    case 'ExtractionProduced':
      return { ...nothingUsed, tokens: sumOf(event.data.tokens) }
    case 'StepFailed':
    case 'JobFailed':
      return failureUseOf(event.data)
    default:
      return undefined
  }
}

/** Most failures use nothing: they leave the document as it is. */
function failureUseOf({ used }: Pick<EventData['StepFailed'], 'used'>): Use | undefined {
  if (used === null) return undefined
  const use = { speechSeconds: used.audioSeconds, tokens: sumOf(used.tokens) }
  return use.speechSeconds + use.tokens > 0 ? use : undefined
}

const sumOf = ({ input, output }: { input: number; output: number }): number => input + output

export const sum = (one: Use, other: Use): Use => ({
  speechSeconds: one.speechSeconds + other.speechSeconds,
  tokens: one.tokens + other.tokens,
})

/** A projection of the use of paid services. @param wholeOf the sum that the use of an event is added to */
const useBy = (name: string, wholeOf: (event: StoredEvent) => string): Projection<DailyUseDocument> => ({
  name,
  prefixes: ['job-'],
  collection: { findBy: ['partOf'] },
  shardOf: (id) => Number(id.slice(id.lastIndexOf('/') + 1)),
  changeOf(event) {
    const use = useOf(event)
    if (use === undefined) return undefined
    const partOf = wholeOf(event)
    return {
      id: `${partOf}/${shardOfStream(event.stream)}`,
      written: 'later',
      next: (before) => ({ ...sum(before ?? nothingUsed, use), partOf }),
    }
  },
})

export const dailyUse = useBy('dailyUse', ({ recordedAt }) => dayOf(recordedAt))

/** What the use of one organization on one day is a part of: `ORG/DAY`. */
export const organizationUseId = (orgId: string, day: string): string => `${orgId}/${day}`

/** The same for each organization alone: `ORG/DAY/SHARD`. */
export const organizationUse: Projection<DailyUseDocument> = {
  ...useBy('organizationUse', ({ recordedAt, metadata }) => organizationUseId(metadata.orgId, dayOf(recordedAt))),
  removedWith: goneWith('credits-', (orgId) => ({ idPrefix: `${orgId}/` })),
}
