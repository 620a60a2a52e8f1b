import type { RequestHandler } from 'express'
import { type TranscriptParts, transcriptRequestOf } from '#packages/jobs/acceptance/transcript-request.ts'
import { type PostParts, postJob } from './post-job.ts'

/** POST /v1/transcript */
export const postTranscript = (
  parts: PostParts,
  { maxBodyBytes, maxWaitSeconds, tellsSpeakers }: TranscriptParts & { maxBodyBytes: number; maxWaitSeconds: number },
): RequestHandler =>
  postJob(parts, {
    maxBodyBytes,
    maxWaitSeconds,
    kind: 'transcript',
    path: '/v1/transcript',
    requestOf: async (body) => transcriptRequestOf(body, { tellsSpeakers }),
  })
