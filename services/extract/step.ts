import type { EventData } from '#contracts/generated/events.ts'
import type { Extraction } from '#packages/content/extraction/extraction.ts'
import type { Spoken } from '#packages/content/extraction/prompt/build-prompt.ts'
import type { Frame } from '#packages/content/media/read-frames.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepContext, StepWork } from '#packages/jobs/processing/step.ts'

export type ExtractOptions = {
  extraction: Extraction
  /** Reads at most this many pictures of the video. @throws StepError */
  framesOf(context: StepContext, most: number): Promise<Frame[]>
}

/**
 * The extract step: turns the text, metadata and pictures of a video into the object that the prompt asks for.
 * @throws StepError `extraction_invalid`, `result_too_large`, `media_too_long`, `upstream_error`; the errors of opening
 * the media
 */
export function extractStep({ extraction, framesOf }: ExtractOptions): StepWork {
  return async (context) => {
    const { video, job, signal, deadlineAt, used } = context
    const transcript = transcriptOf(context)
    const { prompt, schema } = job
    if (!video || !transcript || prompt === null)
      throw new StepError('internal_error', { message: 'The extraction was started before the video was read.' })
    const request = { prompt, schema: schema as Record<string, unknown> | null }
    const room = extraction.roomForFrames(request, { video, transcript })
    const frames = room > 0 ? await framesOf(context, room) : []
    const limits = { organization: job.orgId, signal, deadlineAt, used }
    const data = await extraction.extract(request, { video, transcript, frames }, limits)
    return { type: 'ExtractionProduced', data }
  }
}

/** The captions, or else the speech-to-text transcript. */
function transcriptOf({ events }: StepContext): Spoken | undefined {
  const found = events.findLast(({ type }) => type === 'CaptionsRead' || type === 'SpeechTranscribed')
  return found?.data as EventData['CaptionsRead'] | EventData['SpeechTranscribed'] | undefined
}
