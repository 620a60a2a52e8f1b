import { type SchemaChecks, SchemaChecksBusyError } from '#packages/content/extraction/schema/schema-checks.ts'
import { SchemaError } from '#packages/content/extraction/schema/schema-error.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { isExtractRequest } from '#packages/foundation/validation/body-validators.ts'
import { validated } from '#packages/foundation/validation/validated.ts'
import { videoOf } from '#packages/platforms/urls/video-of.ts'
import type { JobRequest } from './job-request.ts'
import { languageOf, languageOptionsOf } from './language-of.ts'
import { vocabularyOf } from './vocabulary-of.ts'

/** Names in a path come from the caller's schema, and may be long. */
const MAX_PATH_LENGTH = 200

/** @throws ServiceError invalid_request names the place in the schema; unavailable: too many wait to be checked */
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

export type ExtractParts = {
  schemas: SchemaChecks
  /** Whether a language model is configured. */
  extracts: boolean
}

/**
 * The job that an ExtractRequest of the contracts requests.
 * @throws ServiceError invalid_request; unavailable if there is no language model, or too many schemas are checked
 */
export async function extractRequestOf(
  body: unknown,
  orgId: string,
  { schemas, extracts }: ExtractParts,
): Promise<JobRequest> {
  const { url, prompt, lang, schema, ...asked } = validated(isExtractRequest, body)
  const language = languageOf(lang, asked.strictLang === true)
  const vocabulary = vocabularyOf(asked.vocabulary)
  const { canonical } = videoOf(url)
  if (schema !== undefined) await assertUsable(schemas, schema, orgId)
  if (!extracts) throw withoutModel()
  return {
    kind: 'extraction',
    url: canonical,
    mode: null,
    lang: language,
    prompt,
    schema: schema ?? null,
    options: { ...noOptions, ...languageOptionsOf(language, asked), failFast: asked.failFast === true, vocabulary },
  }
}

const withoutModel = (): ServiceError =>
  new ServiceError('unavailable', 'No language model is configured: the operator has to set LLM_BASE_URL.')
