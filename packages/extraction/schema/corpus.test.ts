import { expect } from 'chai'
import { Validation } from '../answer/validation.ts'
import { taken, times } from './accepted-schemas.fixture.ts'
import { assertSchema, type GivenSchema, schemaLimits } from './check-schema.ts'
import { doubling, refused } from './refused-schemas.fixture.ts'
import { SchemaError } from './schema-error.ts'
import { isStrict } from './strict-subset.ts'

describe('the corpus of schemas', function () {
  this.timeout(30_000)
  const validation = new Validation()
  const { signal } = new AbortController()
  after(() => validation[Symbol.asyncDispose]())

  it('has at least 60', () => {
    expect(taken.length + refused.length).to.be.at.least(60)
    const names = [...taken, ...refused].map(({ name }) => name)
    expect(new Set(names)).to.have.property('size', names.length)
  })

  for (const { name, schema, fits, fails, strict = false } of taken)
    it(`accepts ${name}, and validates answers`, async () => {
      assertSchema(schema)
      expect(await validation.problems(schema, fits, { organization: 'org-1', signal })).to.deep.equal([])
      expect(await validation.problems(schema, fails, { organization: 'org-1', signal })).to.not.deep.equal([])
      expect(isStrict(schema)).to.equal(strict)
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
      expect((user + system) / 1000, 'ms of the processor').to.be.below(200)
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
