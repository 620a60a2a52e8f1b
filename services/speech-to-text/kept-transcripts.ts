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
    let isOurs = false
    const make = (signal: AbortSignal): Promise<Kept> => {
      isOurs = true
      return work({ ...context, signal }).catch((error: unknown) => {
        if (error instanceof StepError && error.code === 'no_speech') return null
        throw error
      })
    }
    const keptAs = (...what: unknown[]) =>
      keptValue<Kept>(cache, { url, orgId, what: JSON.stringify(['speech', ...what]) }, context.signal, make)
    const what = [lang, engine, options.vocabulary]
    let kept = await keptAs(...what)
    // Made for a job that did not ask for words, by an engine that only tells them where it is asked.
    if (options.words && !isOurs && kept !== null && !hasWords(kept)) kept = await keptAs(...what, 'words')
    if (kept === null) throw new StepError('no_speech')
    return isOurs ? kept : asReused(kept)
  }

/** The same, as it is recorded for another job: nothing was used for it. */
const asReused = (kept: StepResult): StepResult =>
  kept.type === 'SpeechTranscribed' ? { ...kept, data: { ...kept.data, reused: true } } : kept

const hasWords = ({ type, data }: StepResult): boolean => type === 'SpeechTranscribed' && data.words !== undefined
