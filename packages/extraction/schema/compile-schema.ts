import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { GivenSchema } from './check-schema.ts'
import { checkedFormats } from './keywords.ts'
import { compilePattern } from './pattern.ts'

// `code` names what a compiled schema would need as a text of its own; ours never leave their thread
const regExp = Object.assign((source: string) => compilePattern(source) as RegExp, { code: 'unused' })

/** Compiles a schema that `assertSchema` accepts. To be called in a thread that is ended when it takes too long. */
export function compileSchema({ $schema, ...given }: GivenSchema): ValidateFunction {
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
  return ajv.compile(given)
}
