import type { ErrorObject as Problem, ValidateFunction } from 'ajv'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

/** The most problems reported for one request; a body can have thousands. */
const MAX_TOLD = 20
const MAX_NAME_LENGTH = 100

/** The path of a field as callers write it: `schema.properties`, or `body` for the whole. */
function pathOf({ instancePath, params }: Problem): string {
  const inside = instancePath.split('/').slice(1)
  const named = params.missingProperty ?? params.additionalProperty
  const names = named === undefined ? inside : [...inside, String(named)]
  return names.length === 0 ? 'body' : names.join('.').slice(0, MAX_NAME_LENGTH)
}

/** The problem in words. Names the known fields if the schema was compiled with `verbose`. */
function messageOf({ keyword, message, params, parentSchema }: Problem): string {
  if (keyword === 'required') return 'is required'
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  if (keyword === 'additionalProperties')
    return `is not a known field${known.length > 0 ? `: there are ${known.join(', ')}` : ''}`
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
  const limit = Number(params.limit)
  if (keyword === 'minLength' || keyword === 'minItems')
    return limit === 1 ? 'must not be empty' : `must have at least ${limit} ${unitOf(keyword)}`
  if (keyword === 'maxLength' || keyword === 'maxItems') return `must have at most ${limit} ${unitOf(keyword)}`
  return message ?? 'is not valid'
}

const unitOf = (keyword: string): string => (keyword.endsWith('Length') ? 'characters' : 'entries')

/**
 * Returns the body if it fits its schema.
 * @throws ServiceError invalid_request naming the fields that do not
 */
export function validated<T>(validate: ValidateFunction<T>, body: unknown): T {
  if (validate(body)) return body
  const problems = new Map<string, string>()
  for (const problem of validate.errors ?? []) {
    if (problems.size === MAX_TOLD) break
    const path = pathOf(problem)
    if (!problems.has(path)) problems.set(path, messageOf(problem))
  }
  throw invalidRequest(...Array.from(problems, ([path, message]) => ({ path, message })))
}
