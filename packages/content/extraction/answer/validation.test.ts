import { expect } from 'chai'
import { assertSchema } from '../schema/check-schema.ts'
import { Validation, ValidationTooCostlyError } from './validation.ts'

describe('the validation of answers', function () {
  this.timeout(60_000)

  it('takes turns among organizations: a busy one delays others by at most one answer', async () => {
    await using validation = new Validation()
    const { signal } = new AbortController()
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const order: string[] = []
    const ask = async (organization: string) => {
      expect(await validation.problems(schema, { a: 'text' }, { organization, signal })).to.deep.equal([])
      order.push(organization)
    }
    await Promise.all(['alice', 'alice', 'alice', 'alice', 'alice', 'bob'].map(ask))
    expect(order.indexOf('bob')).to.equal(1)
  })

  it('ends if a schema that refers to itself doubles the work at each level of the answer', async () => {
    await using validation = new Validation()
    const { signal } = new AbortController()
    const schema = { properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }, required: ['b'] }
    assertSchema(schema)
    const answer = Array.from({ length: 60 }).reduce<object>((a) => ({ a, b: 1 }), {})
    const outcome = await validation.problems(schema, answer, { organization: 'org-1', signal }).catch((error) => error)
    expect(outcome).to.be.instanceOf(ValidationTooCostlyError)
    expect(await validation.problems(schema, { b: 1 }, { organization: 'org-1', signal })).to.deep.equal([])
  })
})
