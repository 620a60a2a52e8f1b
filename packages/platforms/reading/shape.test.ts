import { expect } from 'chai'
import { readAll, Shape, ShapeError } from './shape.ts'

const answer = () =>
  Shape.of('answer', { user: { name: 'Ann', fans: '12', bio: null }, posts: [{ id: 'a' }, { id: 'b', views: 3 }] })

const driftOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (error instanceof ShapeError) return error.drift
    throw error
  }
  return undefined
}

describe('the shape of an answer', () => {
  it('returns fields of the expected kind, counts written as digits included', () => {
    const shape = answer()
    expect(shape.required('string', 'user', 'name')).to.equal('Ann')
    expect(shape.expected('count', 'user', 'fans')).to.equal(12)
    expect(shape.drift()).to.deep.equal([])
  })

  it('treats null as a value, not as drift, unless the field is required', () => {
    const shape = answer()
    expect(shape.expected('string', 'user', 'bio')).to.equal(null)
    expect(shape.expected('string', 'user', 'bio', 'text')).to.equal(null)
    expect(shape.drift()).to.deep.equal([])
    expect(driftOf(() => shape.required('string', 'user', 'bio'))?.field).to.equal('answer.user.bio')
  })

  it('names a field that is missing', () => {
    const shape = answer()
    expect(shape.expected('count', 'user', 'likes')).to.equal(null)
    expect(shape.drift()).to.deep.equal([{ field: 'answer.user.likes', expected: 'count', found: 'nothing' }])
  })

  it('names a field of another kind', () => {
    const shape = answer()
    expect(shape.expected('list', 'user', 'name')).to.equal(null)
    expect(shape.drift()).to.deep.equal([{ field: 'answer.user.name', expected: 'list', found: 'string' }])
  })

  it('names the missing part around a field, once', () => {
    const shape = answer()
    shape.expected('count', 'stats', 'views')
    shape.expected('count', 'stats', 'likes')
    expect(shape.drift()).to.deep.equal([{ field: 'answer.stats', expected: 'object', found: 'nothing' }])
  })

  it('reports an optional field that has changed, but not one that is absent', () => {
    const shape = answer()
    expect(shape.optional('count', 'user', 'likes')).to.equal(null)
    expect(shape.optional('count', 'user', 'name')).to.equal(null)
    expect(shape.drift().map(({ field }) => field)).to.deep.equal(['answer.user.name'])
  })

  it('reports a field of items as drifted only if no item has it', () => {
    const shape = answer()
    for (const post of shape.required('list', 'posts')) {
      post.expected('count', 'views')
      post.expected('count', 'likes')
    }
    expect(shape.drift().map(({ field }) => field)).to.deep.equal(['answer.posts[].likes'])
  })

  it('refuses numbers that are not counts', () => {
    const shape = Shape.of('answer', { a: -1, b: 1.5, c: Number.NaN, d: '1e3', e: '' })
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => shape.expected('count', key))).to.deep.equal([
      null,
      null,
      null,
      null,
      null,
    ])
  })

  it('leaves out items without their required fields, and fails if all items lack them', () => {
    const posts = answer().required('list', 'posts')
    expect(readAll(posts, (post) => post.required('count', 'views'))).to.deep.equal([3])
    expect(driftOf(() => readAll(posts, (post) => post.required('string', 'code')))?.field).to.equal(
      'answer.posts[].code',
    )
    expect(readAll([], () => 1)).to.deep.equal([])
  })
})
