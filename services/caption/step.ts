import { StepError } from '#packages/errors/step-error.ts'
import type { Platforms } from '#packages/platforms/platforms.ts'
import type { StepWork } from '#packages/processing/step.ts'

/** The captions that the video brings with it, in the language asked for where it has them. */
export const captionStep =
  ({ platforms }: { platforms: Pick<Platforms, 'at'> }): StepWork =>
  async ({ job, video, signal }) => {
    if (!video)
      throw new StepError('internal_error', { message: 'Captions were asked for before the video was fetched.' })
    const data = await platforms.at(job.url).captions(job.url, { lang: job.lang, video, signal })
    if (data) return { type: 'CaptionsRead', data }
    return { type: 'CaptionsUnavailable', data: { reason: 'captions_unavailable' } }
  }
