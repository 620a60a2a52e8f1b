import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { stepContext, temporaryCache } from '#test/doubles/step-context.ts'
import { cachedFrames } from './cached-frames.ts'

const contextOf = (orgId: string, url = 'https://cdn.example.com/a.mp4') => stepContext({ orgId, url })

describe('the pictures of a video', () => {
  const made = Array.from({ length: 10 }, (_, second) => ({ seconds: second, jpeg: Buffer.from(`jpeg ${second}`) }))

  it('are read once per organization', async () => {
    await using kept = await temporaryCache()
    let opened = 0
    const framesOf = cachedFrames({
      clock,
      cache: kept.cache,
      maxFrames: 10,
      maxSeconds: 60,
      async openMedia() {
        opened += 1
        return { path: 'film', bytes: 1, about: {}, async [Symbol.asyncDispose]() {} }
      },
      readFrames: async () => made,
    })
    const [first, second] = await Promise.all([framesOf(contextOf('org-1'), 10), framesOf(contextOf('org-1'), 10)])
    expect(first).to.deep.equal(made)
    expect(second).to.deep.equal(made)
    expect(await framesOf(contextOf('org-1'), 3)).to.deep.equal([made[0], made[4], made[7]])
    expect(opened, 'for callers at the same time, or later').to.equal(1)
    await framesOf(contextOf('org-2'), 10)
    await framesOf(contextOf('org-1', 'https://cdn.example.com/b.mp4'), 10)
    expect(opened).to.equal(3)
  })
})
