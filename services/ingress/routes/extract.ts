import type { RequestHandler } from 'express'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { assertSchema } from '#packages/extraction/schema/check-schema.ts'
import { SchemaError } from '#packages/extraction/schema/schema-error.ts'
import type { JobDesk } from '../accept-job.ts'
import type { Answers } from '../answer.ts'
import { isExtractRequest } from '../http-validators.ts'
import type { JobRequest } from '../job-request.ts'
import { languageOf } from '../language.ts'
import { postJob } from '../post-job.ts'
import { videoOf } from '../sources.ts'
import { validated } from '../validate.ts'

/** Names in a path are the caller's own, and may be long. */
const MAX_PATH_LENGTH = 200

/** @throws ServiceError invalid_request naming the place in the schema */
function schemaOf(given: Record<string, unknown>): Record<string, unknown> {
  try {
    assertSchema(given)
    return given
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    const path = ['schema', ...error.path].join('.').slice(0, MAX_PATH_LENGTH)
    throw invalidRequest({ path, message: error.message })
  }
}

/** What a body asks for. @throws ServiceError invalid_request */
export function extractRequestOf(body: unknown): JobRequest {
  const { url, prompt, lang, schema } = validated(isExtractRequest, body)
  const language = languageOf(lang)
  const { canonical } = videoOf(url)
  const checked = schema === undefined ? null : schemaOf(schema)
  return { kind: 'extraction', url: canonical, mode: null, lang: language, prompt, schema: checked }
}

const withoutModel = (): ServiceError =>
  new ServiceError('unavailable', 'No language model is configured: the operator has to set LLM_BASE_URL.')

/** POST /v1/extract; 503 where `extracts` is false: the service has no language model. */
export const postExtract = (
  parts: { desk: JobDesk; answers: Answers },
  { maxBodyBytes, extracts }: { maxBodyBytes: number; extracts: boolean },
): RequestHandler =>
  postJob(parts, {
    maxBodyBytes,
    path: '/v1/extract',
    requestOf(body) {
      const request = extractRequestOf(body)
      if (!extracts) throw withoutModel()
      return request
    },
  })
