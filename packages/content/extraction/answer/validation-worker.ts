/** The thread that compiles a caller's schema and validates an answer against it. */
import { parentPort } from 'node:worker_threads'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { compileSchema } from '../schema/compile-schema.ts'

/** A schema and an answer, both as JSON. */
export type ToValidation = { schema: string; answer: string }

/** The most problems reported for one answer. The next round finds the rest. */
const MAX_PROBLEMS = 10
const MAX_PROBLEM_LENGTH = 300

/** The problems of the answer, in words for the model; an empty list if it fits. */
function problemsOf({ schema, answer }: ToValidation): string[] {
  const value: unknown = JSON.parse(answer)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) return ['the answer must be an object']
  const validate = compileSchema(JSON.parse(schema))
  if (validate(value)) return []
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(problemText)
}

/** One error as a path and the problem there. */
function problemText({ instancePath, message = 'is not valid', params, keyword }: ErrorObject): string {
  const name = params.additionalProperty ?? params.propertyName
  const which = name === undefined ? '' : ` (${JSON.stringify(name)})`
  const values = keyword === 'enum' || keyword === 'const' ? `: ${JSON.stringify(Object.values(params)[0])}` : ''
  return `${instancePath || 'the answer'} ${message}${which}${values}`.slice(0, MAX_PROBLEM_LENGTH)
}

parentPort?.on('message', (asked: ToValidation) => parentPort?.postMessage({ answer: problemsOf(asked) }))
parentPort?.postMessage('ready')
