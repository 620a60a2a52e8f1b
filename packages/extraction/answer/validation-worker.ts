/**
 * The thread in which a caller's schema is compiled and an answer is held to it. Whoever started it ends it when it
 * takes too long.
 */
import { parentPort } from 'node:worker_threads'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { checkedFormats } from '../schema/keywords.ts'
import { compilePattern } from '../schema/pattern.ts'

/** A schema and an answer, both as JSON. */
export type ToValidation = { schema: string; answer: string }

/** What is wrong with the answer, in words for the model; nothing where it fits. */
export type FromValidation = { problems: string[] }

/** Told of one answer: the model repairs these, and the next round finds the rest. */
const MAX_PROBLEMS = 10
const MAX_PROBLEM_LENGTH = 300

// `code` names what a compiled schema would need as a text of its own; ours never leave this thread
const regExp = Object.assign((source: string) => compilePattern(source) as RegExp, { code: 'unused' })

function problemsOf({ schema, answer }: ToValidation): string[] {
  const { $schema, ...given } = JSON.parse(schema)
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // what was refused at the door is not here; the dialect's own schema would only cost time
    meta: false,
    validateSchema: false,
    // each definition is compiled once, however often it is referred to
    inlineRefs: false,
    // `toString` is not a property of every answer
    ownProperties: true,
    logger: false,
    code: { regExp },
  })
  formats.default(ajv, [...checkedFormats])
  const value: unknown = JSON.parse(answer)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) return ['the answer must be an object']
  const validate = ajv.compile(given)
  if (validate(value)) return []
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(told)
}

/** One error as a path and what must be otherwise there. */
function told({ instancePath, message = 'is not valid', params, keyword }: ErrorObject): string {
  const name = params.additionalProperty ?? params.propertyName
  const which = name === undefined ? '' : ` (${JSON.stringify(name)})`
  const values = keyword === 'enum' || keyword === 'const' ? `: ${JSON.stringify(Object.values(params)[0])}` : ''
  return `${instancePath || 'the answer'} ${message}${which}${values}`.slice(0, MAX_PROBLEM_LENGTH)
}

parentPort?.on('message', (asked: ToValidation) => {
  parentPort?.postMessage({ problems: problemsOf(asked) } satisfies FromValidation)
})
parentPort?.postMessage('ready')
