import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Projection } from './projection.ts'

/**
 * What the results of one day (UTC) have taken of what an operator pays for, over all organizations. The id is the day,
 * such as `2026-01-31`.
 *
 * Counted is what events tell: a transcript that was kept from an earlier job counts again, because its event is the
 * same; what failed attempts took is in no event, and is not counted.
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
  if (event.type === 'SpeechTranscribed') return { ...nothingUsed, speechSeconds: event.data.audioSeconds ?? 0 }
  if (event.type !== 'ExtractionProduced') return undefined
  const { input, output } = event.data.tokens
  return { ...nothingUsed, tokens: input + output }
}

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
