import { expect } from 'chai'
import { Validation } from './validation.ts'

describe('the validation of answers', function () {
  this.timeout(60_000)

  it('takes turns among organizations: a busy one delays others by one answer at most', async () => {
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
})
