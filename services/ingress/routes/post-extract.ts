import type { RequestHandler } from 'express'
import type { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import { extractRequestOf } from '#packages/jobs/acceptance/extract-request.ts'
import { type PostParts, postJob } from './post-job.ts'

/** POST /v1/extract; 503 if `extracts` is false, because the service has no language model. */
export const postExtract = (
  { schemas, ...parts }: PostParts & { schemas: SchemaChecks },
  { maxBodyBytes, maxWaitSeconds, extracts }: { maxBodyBytes: number; maxWaitSeconds: number; extracts: boolean },
): RequestHandler =>
  postJob(parts, {
    maxBodyBytes,
    maxWaitSeconds,
    kind: 'extraction',
    path: '/v1/extract',
    requestOf: (body, orgId) => extractRequestOf(body, orgId, { schemas, extracts }),
  })
