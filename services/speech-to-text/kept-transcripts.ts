import { keptValue } from '#packages/content/media/kept-value.ts'
import type { MediaCache } from '#packages/content/media/media-cache.ts'
import type { StepResult } from '#packages/domain/job/events.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'

/** A transcript; null if the video has no speech, which takes as long to find out and is cached too. */
type Kept = StepResult | null

/** Caches transcripts for the organization's next job on the same video. Each `engine` makes its own. */
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
    // This transcript was made for a job without words, by an engine that returns words only on request.
    if (options.words && !isOurs && kept !== null && !hasWords(kept)) kept = await keptAs(...what, 'words')
    if (kept === null) throw new StepError('no_speech')
    return isOurs ? kept : asReused(kept)
  }

/** The result for another job, with zero use. */
const asReused = (kept: StepResult): StepResult =>
  kept.type === 'SpeechTranscribed' ? { ...kept, data: { ...kept.data, reused: true } } : kept

const hasWords = ({ type, data }: StepResult): boolean => type === 'SpeechTranscribed' && data.words !== undefined
