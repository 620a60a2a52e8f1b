import type { TranscriptRequest } from '#contracts/generated/http.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { isTranscriptRequest } from '#packages/foundation/validation/body-validators.ts'
import { validated } from '#packages/foundation/validation/validated.ts'
import { videoOf } from '#packages/platforms/urls/video-of.ts'
import type { JobRequest } from './job-request.ts'
import { languageOf, languageOptionsOf } from './language-of.ts'
import { vocabularyOf } from './vocabulary-of.ts'

export type TranscriptParts = {
  /** Whether the configured speech engine names the speakers. */
  tellsSpeakers: boolean
}

/** The job that a TranscriptRequest of the contracts requests. @throws ServiceError invalid_request */
export function transcriptRequestOf(body: unknown, { tellsSpeakers }: TranscriptParts): JobRequest {
  const { url, mode = 'auto', lang, ...asked } = validated(isTranscriptRequest, body)
  const { failFast = false, words = false, speakers = false } = asked
  const language = languageOf(lang, asked.strictLang === true)
  if (speakers) assertSpeakers(mode, tellsSpeakers)
  const { canonical } = videoOf(url)
  const vocabulary = vocabularyOf(asked.vocabulary)
  const options = { ...noOptions, ...languageOptionsOf(language, asked), failFast, words, speakers, vocabulary }
  return { kind: 'transcript', url: canonical, mode, lang: language, prompt: null, schema: null, options }
}

function assertSpeakers(mode: TranscriptRequest['mode'], tellsSpeakers: boolean): void {
  if (!tellsSpeakers)
    throw invalidRequest({
      path: 'speakers',
      message: 'is not available: the speech engine cannot identify speakers',
    })
  if (mode !== 'generate')
    throw invalidRequest({ path: 'speakers', message: 'needs mode "generate": captions name no speakers' })
}
