import { noOptions } from '#packages/domain/job/events.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

/** What a request for a job may leave out. */
export const plainRequest = { mode: null, lang: null, prompt: null, schema: null, options: noOptions } as const

/** What accompanies a request for a job, without a key and without an Idempotency-Key. */
export const withoutKey = (orgId: string) =>
  ({
    terms: noTerms,
    keyId: null,
    surface: 'api',
    monthlyCredits: null,
    idempotencyKey: undefined,
    metadata: { orgId, causationId: 'test', traceparent: newTraceparent(false) },
  }) as const
