import type { EventData } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/**
 * Paid services used on one day (UTC) by the jobs of all organizations. The id is the day, such as `2026-01-31`.
 *
 * Only use that is in events is counted: that of a successful attempt is in its result, that of a failed one in its
 * failure. So no attempt counts twice. A transcript reused from an earlier job counts again, because its event is the
 * same. The use of an attempt that was killed, released, or abandoned at its job's deadline is unknown and not counted.
 */
export type DailyUseDocument = {
  /** Audio transcribed by speech-to-text, seconds. */
  speechSeconds: number
  /** Tokens sent to the language model and answered by it. */
  tokens: number
}

export const nothingUsed: DailyUseDocument = { speechSeconds: 0, tokens: 0 }

/** The day (UTC) of an instant, milliseconds since 1970. */
export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** The use that an event adds; undefined where it adds none. */
function useOf(event: StoredEvent): DailyUseDocument | undefined {
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
function failureUseOf({ used }: Pick<EventData['StepFailed'], 'used'>): DailyUseDocument | undefined {
  if (used === null) return undefined
  const use = { speechSeconds: used.audioSeconds, tokens: sumOf(used.tokens) }
  return use.speechSeconds + use.tokens > 0 ? use : undefined
}

const sumOf = ({ input, output }: { input: number; output: number }): number => input + output

const sum = (one: DailyUseDocument, other: DailyUseDocument): DailyUseDocument => ({
  speechSeconds: one.speechSeconds + other.speechSeconds,
  tokens: one.tokens + other.tokens,
})

/** A projection of the use of paid services. @param idOf the document that the use of an event is added to */
const useBy = (name: string, idOf: (event: StoredEvent) => string): Projection<DailyUseDocument> => ({
  name,
  prefixes: ['job-'],
  collection: {},
  changeOf(event) {
    const use = useOf(event)
    return use && { id: idOf(event), written: 'later', next: (before = nothingUsed) => sum(before, use) }
  },
})

export const dailyUse = useBy('dailyUse', ({ recordedAt }) => dayOf(recordedAt))

/** The id of the use of one organization on one day: `ORG/DAY`. */
export const organizationUseId = (orgId: string, day: string): string => `${orgId}/${day}`

/** The same for each organization alone. */
export const organizationUse: Projection<DailyUseDocument> = {
  ...useBy('organizationUse', ({ recordedAt, metadata }) => organizationUseId(metadata.orgId, dayOf(recordedAt))),
  removedWith: goneWith('credits-', (orgId) => ({ idPrefix: `${orgId}/` })),
}
