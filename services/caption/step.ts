import { transcriptText } from '#packages/content/captions/transcript-text.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { readingOf } from '#packages/platforms/reading/reading-of.ts'
import type { Captions } from '#packages/platforms/videos/video-source.ts'

export type CaptionOptions = {
  platforms: Pick<Platforms, 'captions'>
  /** The largest result, bytes of JSON. It is limited because every poll of the job carries it. */
  maxResultBytes?: number
}

/**
 * The caption step: reads the captions of the video, in the requested language if it has them. Leaves out word timings
 * if they would make the result too large.
 * @throws StepError `result_too_large`; the errors of the platform
 */
export const captionStep =
  ({ platforms, maxResultBytes = 2_000_000 }: CaptionOptions): StepWork =>
  async (context) => {
    const { job, video } = context
    if (!video)
      throw new StepError('internal_error', { message: 'Captions were asked for before the video was fetched.' })
    const { strictLang, translate, words } = job.options
    const wish = { lang: job.lang, strictLang, translate, words, video }
    const data = await platforms.captions(job.url, { ...readingOf(context), ...wish })
    if (!data) return { type: 'CaptionsUnavailable', data: { reason: 'captions_unavailable' } }
    if (resultBytes(data) <= maxResultBytes) return { type: 'CaptionsRead', data }
    const { words: _, ...rest } = data
    if (resultBytes(rest) > maxResultBytes) throw new StepError('result_too_large')
    return { type: 'CaptionsRead', data: rest }
  }

/** The size of the job's result, bytes of JSON. Each word counts twice: in the segments and in the text. */
const resultBytes = (data: Captions): number =>
  Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(transcriptText(data.segments)))
