import { expect } from 'chai'
import fc from 'fast-check'
import { Validation } from '../answer/validation.ts'
import { assertSchema } from './check-schema.ts'
import { SchemaError } from './schema-error.ts'
import type { GivenSchema } from './schema-tree.ts'

const names = fc.constantFrom('a', 'b', 'constructor', '"', 'a/b~c', '', '0')
const value = fc.jsonValue({ maxDepth: 3 })
const count = fc.oneof(fc.nat(5), fc.constantFrom(-1, 1.5, 'x', 2 ** 60))
const pattern = fc.oneof(fc.constantFrom('^a+$', '(', '\\d{2,4}', '[a-z', '(?=a)', '\\p{L}', 'a|b', '^$'), fc.string())
const references = fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a', 'http://a/', '#/enum/0', '#a')

/** Schemas that use every keyword, rightly or wrongly. */
const { schema } = fc.letrec((tie) => {
  const one = tie('schema')
  const some = fc.array(one, { maxLength: 3 })
  const byName = fc.dictionary(names, one, { maxKeys: 3 })
  const keywords = {
    type: fc.constantFrom('object', 'array', 'string', 'null', 'strange', ['string', 'null'], [], ['object', 'object']),
    enum: fc.array(value, { maxLength: 3 }),
    const: value,
    properties: byName,
    patternProperties: fc.dictionary(pattern, one, { maxKeys: 2 }),
    additionalProperties: one,
    propertyNames: one,
    required: fc.oneof(fc.array(names, { maxLength: 3 }), value),
    dependentRequired: fc.dictionary(names, fc.array(names, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: byName,
    items: one,
    prefixItems: some,
    contains: one,
    minContains: count,
    maxContains: count,
    uniqueItems: fc.boolean(),
    minItems: count,
    minLength: count,
    maxProperties: count,
    pattern,
    format: fc.constantFrom('date', 'uri', 'phone', 'email', 'regex', ''),
    minimum: fc.oneof(fc.double(), value),
    multipleOf: fc.oneof(fc.double(), fc.constantFrom(0, -1, 0.1, 1e-300)),
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: one,
    if: one,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: one,
    else: one,
    $defs: byName,
    $ref: references,
    title: fc.string(),
    default: value,
    $schema: fc.string(),
    unknown: fc.constant(1),
  }
  const few = fc.subarray(Object.keys(keywords) as (keyof typeof keywords)[], { maxLength: 4 })
  const object = few.chain((chosen) =>
    fc.record(
      Object.fromEntries(chosen.map((name) => [name, keywords[name]])) as Record<string, fc.Arbitrary<unknown>>,
    ),
  )
  return { schema: fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.boolean(), object) }
})

describe('a schema of any kind', function () {
  this.timeout(120_000)
  const validation = new Validation()
  after(() => validation[Symbol.asyncDispose]())

  it('is refused with a path in it, or can be compiled and validates any answer', async () => {
    const { signal } = new AbortController()
    let accepted = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(schema, value, async (given, answer) => {
        // as it arrives in a body
        const read = JSON.parse(JSON.stringify(typeof given === 'boolean' ? {} : given)) as GivenSchema
        try {
          assertSchema(read)
        } catch (error) {
          expect(error).to.be.instanceOf(SchemaError)
          refused += 1
          return
        }
        accepted += 1
        expect(await validation.problems(read, { a: answer }, { organization: 'org-1', signal })).to.be.an('array')
      }),
      { numRuns: 2000, seed: 20_261_121 },
    )
    expect(Math.min(accepted, refused), `${accepted} accepted, ${refused} refused`).to.be.above(200)
  })
})
