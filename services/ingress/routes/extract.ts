import type { RequestHandler } from 'express'
import type { Acceptance } from '#packages/acceptance/acceptance.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { type SchemaChecks, SchemaChecksBusyError } from '#packages/extraction/schema/schema-checks.ts'
import { SchemaError } from '#packages/extraction/schema/schema-error.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Answers } from '../answers/answer.ts'
import { isExtractRequest } from '../requests/http-validators.ts'
import { languageOf } from '../requests/language.ts'
import { validated } from '../requests/validate.ts'
import { postJob } from './post-job.ts'
import { videoOf } from './sources.ts'

/** Names in a path are the caller's own, and may be long. */
const MAX_PATH_LENGTH = 200

/** @throws ServiceError invalid_request naming the place in the schema; unavailable where too many wait to be checked */
async function assertUsable(checks: SchemaChecks, schema: Record<string, unknown>, orgId: string): Promise<void> {
  try {
    await checks.assertUsable(schema, orgId)
  } catch (error) {
    if (error instanceof SchemaChecksBusyError)
      throw new ServiceError('unavailable', 'Too many schemas wait to be checked; try again.', { retryAfterSeconds: 1 })
    if (!(error instanceof SchemaError)) throw error
    const path = ['schema', ...error.path].join('.').slice(0, MAX_PATH_LENGTH)
    throw invalidRequest({ path, message: error.message })
  }
}

/** What a body asks for. @throws ServiceError invalid_request, unavailable */
export async function extractRequestOf(body: unknown, checks: SchemaChecks, orgId: string): Promise<JobRequest> {
  const { url, prompt, lang, schema } = validated(isExtractRequest, body)
  const language = languageOf(lang)
  const { canonical } = videoOf(url)
  if (schema !== undefined) await assertUsable(checks, schema, orgId)
  return { kind: 'extraction', url: canonical, mode: null, lang: language, prompt, schema: schema ?? null }
}

const withoutModel = (): ServiceError =>
  new ServiceError('unavailable', 'No language model is configured: the operator has to set LLM_BASE_URL.')

/** POST /v1/extract; 503 where `extracts` is false: the service has no language model. */
export const postExtract = (
  { schemas, ...parts }: { acceptance: Acceptance; answers: Answers; loop: LoopMonitor; schemas: SchemaChecks },
  { maxBodyBytes, extracts }: { maxBodyBytes: number; extracts: boolean },
): RequestHandler =>
  postJob(parts, {
    maxBodyBytes,
    path: '/v1/extract',
    async requestOf(body, orgId) {
      const request = await extractRequestOf(body, schemas, orgId)
      if (!extracts) throw withoutModel()
      return request
    },
  })
