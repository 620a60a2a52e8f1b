import { expect } from 'chai'
import { tagsOf } from './tags.ts'

describe('the hashtags of a caption', () => {
  const captions: [string | null, string[]][] = [
    [null, []],
    ['no tags, C# and # alone', []],
    ['#Tea in the morning #tea #Tea', ['Tea', 'tea']],
    ['#tea#cup, #süß! #日本語 #हिन्दी #tea_2026.', ['tea', 'cup', 'süß', '日本語', 'हिन्दी', 'tea_2026']],
    ['it&#39;s at https://a.example/#top', []],
  ]
  for (const [caption, tags] of captions) {
    it(`are ${JSON.stringify(tags)} for ${JSON.stringify(caption)}`, () => {
      expect(tagsOf(caption)).to.deep.equal(tags)
    })
  }
})
