import type { EventData } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Projection } from './projection.ts'

/**
 * What was used on one day (UTC) of what an operator pays for, over all organizations. The id is the day, such as
 * `2026-01-31`.
 *
 * Counted is what the events say. A result says what the attempt used that gave it, a failure what the attempt used that
 * failed, so that no attempt counts twice. A transcript that was kept from an earlier job counts again, because its event
 * is the same. Not counted is what nobody knows: what an attempt used that was killed, given back, or abandoned at the
 * deadline of its job, and what failed attempts used whose events were written in version 1.
 */
export type DailyUseDocument = {
  /** Sound that was transcribed by speech-to-text, seconds. */
  speechSeconds: number
  /** Tokens that the language model was sent and has answered. */
  tokens: number
}

export const nothingUsed: DailyUseDocument = { speechSeconds: 0, tokens: 0 }

/** The day (UTC) of an instant, milliseconds since 1970. */
export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** What an event adds; undefined where that is nothing. */
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

export const dailyUse: Projection<DailyUseDocument> = {
  name: 'dailyUse',
  prefixes: ['job-'],
  collection: {},
  changeOf(event) {
    const use = useOf(event)
    if (use === undefined) return undefined
    const next = ({ speechSeconds, tokens } = nothingUsed): DailyUseDocument => ({
      speechSeconds: speechSeconds + use.speechSeconds,
      tokens: tokens + use.tokens,
    })
    return { id: dayOf(event.recordedAt), next }
  },
}
