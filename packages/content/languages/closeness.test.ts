import { expect } from 'chai'
import { closeness } from './closeness.ts'

describe('how close a language is to the requested one', () => {
  const order = (wanted: string, ...tags: string[]) =>
    tags
      .map((tag) => ({ tag, at: closeness(tag, wanted) }))
      .filter(({ at }) => at !== undefined)
      .toSorted((a, b) => Number(a.at) - Number(b.at))
      .map(({ tag }) => tag)

  for (const [wanted, ...best] of [
    ['en', 'en', 'en-US', 'en-GB'],
    ['en-GB', 'en-GB', 'en', 'en-US', 'en-AU'],
    ['zh-TW', 'zh-TW', 'zh-Hant', 'zh-HK', 'zh'],
    ['zh-HK', 'zh-HK', 'zh-Hant', 'zh-TW', 'zh-CN'],
    ['zh-Hant', 'zh-Hant', 'zh-TW', 'zh-HK', 'zh-Hans'],
    ['zh', 'zh', 'zh-Hans', 'zh-CN', 'zh-SG', 'zh-TW'],
    ['sr-Latn', 'sr-Latn', 'sr-Latn-ME', 'sr'],
    ['nb', 'nb', 'no', 'no-NO'],
    ['no', 'no', 'nb', 'nb-NO'],
  ] as const)
    it(`${wanted}: ${best.join(', ')}`, () => {
      expect(order(wanted, ...best.toReversed(), 'ja', 'nn')).to.deep.equal(best)
    })
})
