import type { StepResult } from '#packages/domain/job/events.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { keptValue } from '#packages/media/kept-value.ts'
import type { MediaCache } from '#packages/media/media-cache.ts'
import type { StepWork } from '#packages/processing/step.ts'

/** A transcript; null where nobody speaks, which takes as long to find out and is cached too. */
type Kept = StepResult | null

/**
 * The same step, with its transcripts cached for the organization's next job on the video. `engine` names the speech
 * engine: another one makes other transcripts.
 */
export const keptTranscripts =
  (work: StepWork, { cache, engine }: { cache: MediaCache; engine: string }): StepWork =>
  async (context) => {
    const { url, orgId, lang, options } = context.job
    const make = (signal: AbortSignal): Promise<Kept> =>
      work({ ...context, signal }).catch((error: unknown) => {
        if (error instanceof StepError && error.code === 'no_speech') return null
        throw error
      })
    const { words, vocabulary } = options
    const what = JSON.stringify(['speech', lang, engine, words, vocabulary])
    const kept = await keptValue<Kept>(cache, { url, orgId, what }, context.signal, make)
    if (kept === null) throw new StepError('no_speech')
    return kept
  }
