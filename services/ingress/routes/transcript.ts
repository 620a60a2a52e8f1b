import type { RequestHandler } from 'express'
import type { Acceptance } from '#packages/acceptance/acceptance.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Answers } from '../answers/answer.ts'
import { isTranscriptRequest } from '../requests/http-validators.ts'
import { languageOf } from '../requests/language.ts'
import { validated } from '../requests/validate.ts'
import { postJob } from './post-job.ts'
import { videoOf } from './sources.ts'

/** What a body asks for. @throws ServiceError invalid_request */
export function transcriptRequestOf(body: unknown): JobRequest {
  const { url, mode = 'auto', lang } = validated(isTranscriptRequest, body)
  const language = languageOf(lang)
  const { canonical } = videoOf(url)
  return { kind: 'transcript', url: canonical, mode, lang: language, prompt: null, schema: null }
}

/** POST /v1/transcript */
export const postTranscript = (
  parts: { acceptance: Acceptance; answers: Answers; loop: LoopMonitor },
  { maxBodyBytes }: { maxBodyBytes: number },
): RequestHandler =>
  postJob(parts, { maxBodyBytes, path: '/v1/transcript', requestOf: async (body) => transcriptRequestOf(body) })
