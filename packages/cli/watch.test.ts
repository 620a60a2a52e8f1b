import { expect } from 'chai'
import { UsageError } from './command.ts'
import { sourceOf } from './watch.ts'

describe('the source of a watch', () => {
  const sources = [
    ['@novelhour', {}, { type: 'channel', handle: '@novelhour' }],
    ['https://www.youtube.com/@novelhour', { list: 'shorts' }, { type: 'channel', list: 'shorts' }],
    ['https://www.youtube.com/playlist?list=PL1', {}, { type: 'playlist' }],
    ['https://www.tiktok.com/@teller', {}, { type: 'profile', platform: 'tiktok' }],
    ['https://instagram.com/teller/', {}, { type: 'profile', platform: 'instagram' }],
    ['garden beans', { search: true }, { type: 'search', q: 'garden beans' }],
    ['beans', { search: true, platform: 'tiktok' }, { type: 'search', q: 'beans', platform: 'tiktok' }],
  ] as const
  for (const [word, values, source] of sources)
    it(`is a ${source.type}: ${word}`, () => {
      const url = word.startsWith('http') ? { url: word } : {}
      expect(sourceOf(word, values)).to.deep.equal({ ...source, ...url })
    })

  it('is refused if it is none of these', () => {
    expect(() => sourceOf('novelhour', {})).to.throw(UsageError, '--search')
    expect(() => sourceOf('@novelhour', { list: 'films' })).to.throw(UsageError, '--list must be one of')
  })
})
