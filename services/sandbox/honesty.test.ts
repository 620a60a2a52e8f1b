import { expect } from 'chai'
import { at, differences } from './honesty.fixture.ts'

describe('honesty', () => {
  const recording = { video: { title: 'a', views: '12', tracks: [{ url: 'u' }, { size: 3 }], gone: null } }
  const found = (answer: unknown, more = {}) =>
    differences(answer, [recording], more).map(({ path, problem }) => `${path}: ${problem}`)

  it('finds no difference in an answer that has less than the recording', () => {
    expect(found({ video: { title: 'b', tracks: [{ url: 'v', size: 1 }] } })).to.deep.equal([])
  })

  it('names paths that no recording has, or has with another type', () => {
    expect(found({ video: { views: 12, tracks: [{ uri: 'v' }, { size: '1' }], author: { name: 'b' } } })).to.deep.equal(
      [
        'video.views: another type',
        'video.tracks.*.uri: not recorded',
        'video.tracks.*.size: another type',
        'video.author: not recorded',
        'video.author.name: not recorded',
      ],
    )
  })

  it('takes null for any type, on both sides', () => {
    expect(found({ video: { title: null, gone: 'not in this recording' } })).to.deep.equal([])
  })

  it('is satisfied when one of several recordings has a path', () => {
    expect(differences({ video: { views: 12 } }, [recording, { video: { views: 1 } }])).to.deep.equal([])
  })

  it('leaves out exceptions, and does not compare keys that are ids', () => {
    const exceptions = [{ path: 'video.author.*', reason: 'a test' }]
    expect(found({ video: { author: { name: 'b' } } }, { exceptions })).to.deep.equal(['video.author: not recorded'])
    expect(
      differences({ stats: { b2: { views: 2 } } }, [{ stats: { a1: { views: 1 } } }], { keyed: ['stats'] }),
    ).to.deep.equal([])
  })

  it('picks a part of a recording', () => {
    expect(at(recording, 'video.tracks.1.size')).to.equal(3)
    expect(at(recording, 'video.nothing.here')).to.equal(undefined)
  })
})
