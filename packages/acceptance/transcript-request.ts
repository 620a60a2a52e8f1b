import { noOptions } from '#packages/domain/job/events.ts'
import { videoOf } from '#packages/platforms/urls/video-of.ts'
import { isTranscriptRequest } from '#packages/validation/body-validators.ts'
import { validated } from '#packages/validation/validated.ts'
import type { JobRequest } from './job-request.ts'
import { languageOf } from './language-of.ts'

/** The job that a TranscriptRequest of the contracts asks for. @throws ServiceError invalid_request */
export function transcriptRequestOf(body: unknown): JobRequest {
  const { url, mode = 'auto', lang, failFast = false } = validated(isTranscriptRequest, body)
  const language = languageOf(lang)
  const { canonical } = videoOf(url)
  const options = { ...noOptions, failFast }
  return { kind: 'transcript', url: canonical, mode, lang: language, prompt: null, schema: null, options }
}
