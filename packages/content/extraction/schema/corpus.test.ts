import { expect } from 'chai'
import { Validation } from '../answer/validation.ts'
import { object, taken, text, times } from './accepted-schemas.fixture.ts'
import { assertSchema } from './check-schema.ts'
import { generated } from './generators.fixture.ts'
import { doubling, refused } from './refused-schemas.fixture.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'
import type { GivenSchema } from './schema-tree.ts'
import { standardForm } from './standard-form.ts'
import { isStrict } from './strict-subset.ts'

describe('the corpus of schemas', () => {
  const validation = new Validation()
  const { signal } = new AbortController()
  after(() => validation[Symbol.asyncDispose]())

  const accepted = [...taken, ...generated]

  it('has at least 60', () => {
    expect(accepted.length + refused.length).to.be.at.least(60)
    const names = [...accepted, ...refused].map(({ name }) => name)
    expect(new Set(names)).to.have.property('size', names.length)
  })

  for (const { name, schema, fits, fails, strict = false } of accepted)
    it(`accepts ${name}, and validates answers`, async () => {
      assertSchema(schema)
      expect(await validation.problems(schema, fits, { organization: 'org-1', signal })).to.deep.equal([])
      expect(await validation.problems(schema, fails, { organization: 'org-1', signal })).to.not.deep.equal([])
      const standard = standardForm(schema)
      expect(isStrict(standard)).to.equal(strict)
      expect(standardForm(standard), 'the standard form of the standard form').to.deep.equal(standard)
    })

  for (const { name, schema, path } of refused)
    it(`refuses ${name}, with its path`, () => {
      const before = process.threadCpuUsage()
      const assert = () => assertSchema(schema as GivenSchema)
      expect(assert)
        .to.throw(SchemaError)
        .with.property('path')
        .that.deep.equals(path === '' ? [] : path.split('.'))
      const { user, system } = process.threadCpuUsage(before)
      expect((user + system) / 1000, 'ms of the processor').to.be.below(2000)
    })

  for (const [says, schema] of Object.entries({
    'write the list as prefixItems': object({ a: { items: [text] } }),
    'write $ref with a pointer, as in #/$defs/name': object({ a: { $dynamicRef: '#a' } }),
    'write dependentRequired or dependentSchemas': { dependencies: { a: ['b'] } },
    'write an annotation of your own as x-…': object({ a: { errorMessage: 'x' } }),
    'write each condition as a pattern of its own in allOf': object({ a: { pattern: '^(?=.*\\d)\\w+$' } }),
    'write the alternatives out': object({ a: { pattern: '(a|b)\\1' } }),
    'in the object that has the properties': object({ a: { required: true } }),
    'refer to it from a schema in properties or items': { $ref: '#' },
    'write the schema alone, or as {name, strict, schema}': { name: 'x', input_schema: {} },
    'leave it out for any': object({ a: { type: 'any' } }),
    'as in #/$defs/name': object({ a: { $ref: 'http://example.com/s.json' } }),
  }))
    it(`says what to write instead: ${says}`, () => {
      expect(() => assertSchema(schema)).to.throw(SchemaError, says)
    })

  it('accepts schemas up to the limits, and no larger ones', () => {
    const schemas = schemaLimits.nodes - 1
    assertSchema({ properties: Object.fromEntries(times(schemas, (i) => [`p${i}`, true])) })
    assertSchema({ patternProperties: Object.fromEntries(times(schemaLimits.patterns, (i) => [`^${i}$`, true])) })
    assertSchema(doubling(8))
    const rest = schemaLimits.bytes - JSON.stringify({ title: '' }).length
    assertSchema({ title: 'x'.repeat(rest) })
    expect(() => assertSchema({ title: 'x'.repeat(rest + 1) })).to.throw(SchemaError)
  })
})
