import { Ajv2020, type ErrorObject, type FuncKeywordDefinition } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { duration } from './equal-forms.ts'
import { checkedFormats } from './keywords.ts'
import { compilePattern } from './pattern.ts'
import type { GivenSchema } from './schema-tree.ts'
import { standardForm } from './standard-form.ts'

// Ajv needs `code` only for standalone code, which we never generate
const regExp = Object.assign((source: string) => compilePattern(source) as RegExp, { code: 'unused' })

const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (step: number) => (value: number) => isMultipleOf(value, step),
  error: { message: ({ schema }) => `must be a multiple of ${schema}` },
}

/** Wider than the standard's: generators also use these for times of day without a zone, and parts of a second. */
const widerFormats = {
  time: /^(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?$/i,
  duration: new RegExp(duration.replace('^', '^[+-]?')),
}

/** Whether a value fits. If not, `errors` says why. */
export type Validate = { (value: unknown): boolean; errors?: ErrorObject[] | null }

/**
 * Compiles a schema that `assertSchema` accepts. Call it in a thread that is terminated if it takes too long. Use the
 * validator only with bounded values: a schema that refers to itself follows a value to its end.
 */
export function compileSchema(given: GivenSchema): Validate {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // `assertSchema` has checked the schema: the dialect's own schema would only cost time
    meta: false,
    validateSchema: false,
    // compiles each definition once, however many references it has
    inlineRefs: false,
    // `toString` is not a property of every answer
    ownProperties: true,
    logger: false,
    code: { regExp },
  })
  formats.default(ajv, [...checkedFormats])
  for (const [name, format] of Object.entries(widerFormats)) ajv.addFormat(name, format)
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf)
  return ajv.compile(standardForm(given))
}

/** A number as a whole number of tenths, hundredths …: `digits` divided by ten to the power of `places`. */
type Decimal = { digits: bigint; places: number }

/** The shortest decimal that reads as this number: the one that its writer meant. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) }
}

/** Whether a number is a multiple of a step, in decimal arithmetic: 19.99 is one of 0.01, unlike in floating point. */
function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value)) return false
  const [a, b] = [decimalOf(value), decimalOf(step)]
  const places = Math.max(a.places, b.places)
  const scaled = ({ digits, places: own }: Decimal): bigint => digits * 10n ** BigInt(places - own)
  return scaled(a) % scaled(b) === 0n
}
