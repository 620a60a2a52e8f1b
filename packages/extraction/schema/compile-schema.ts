import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { GivenSchema } from './check-schema.ts'
import { checkedFormats } from './keywords.ts'
import { compilePattern } from './pattern.ts'

// Ajv needs `code` only for standalone code, which we never generate
const regExp = Object.assign((source: string) => compilePattern(source) as RegExp, { code: 'unused' })

/** Compiles a schema that `assertSchema` accepts. Call it in a thread that is terminated when it takes too long. */
export function compileSchema({ $schema, ...given }: GivenSchema): ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // `assertSchema` has checked the schema: the dialect's own schema would only cost time
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
  return ajv.compile(given)
}
